import { chmod, mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { dataFile, lockFile, syncDirectory } from "./data-directory.ts";
import type { Journal } from "./journal.ts";
import { verifyLmdbStore } from "./verify-lmdb-store.ts";

/** What a file must at least be for its free pages to matter. */
const smallest = 32 * 2 ** 20;

/** Holds the copy while it is made. */
const copyName = "copy";

/**
 * Gives the disk back what a file that is mostly free takes, by a copy without the free pages. The old
 * file stays in place until the copy is durable and was read: a crash leaves one or the other.
 */
export async function shrink(
  journal: Journal,
  { path, atLeast = smallest }: { readonly path: string; readonly atLeast?: number },
): Promise<void> {
  const copy = join(path, copyName);
  // One that was not finished.
  await rm(copy, { recursive: true, force: true });
  const { bytes, freeBytes } = journal.size;
  if (bytes < atLeast || freeBytes < bytes / 2) return;
  try {
    if (!(await makeCopy(journal, copy))) return;
    await rename(join(copy, dataFile), join(path, dataFile));
    // The old one belongs to the old file: whoever has both open sees what was there, and no more.
    await rm(join(path, lockFile), { force: true });
    await writeFile(join(path, lockFile), "", { mode: 0o600 });
    await syncDirectory(path);
    await journal.moveOn();
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** Whether there is a durable copy that holds the same; there may be no room for one. */
async function makeCopy(journal: Journal, copy: string): Promise<boolean> {
  try {
    await mkdir(copy, { mode: 0o700 });
    await journal.copyTo(copy);
    await chmod(join(copy, dataFile), 0o600);
    await sync(join(copy, dataFile));
    const { records, violation } = await verifyLmdbStore(copy);
    return violation === undefined && records === journal.count;
  } catch {
    return false;
  }
}

async function sync(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
