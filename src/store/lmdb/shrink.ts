import { chmod, mkdir, open, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { dataFile } from "./data-directory.ts";
import { Journal } from "./journal.ts";
import { verifyInTurns } from "./verify-lmdb-store.ts";

/** The minimum size of a file to be shrunk. */
const smallest = 32 * 2 ** 20;

/** The directory of the copy while it is made. */
const copyName = "copy";

/** The approximate number of records to copy at a time. */
const step = 1000;
/** The number of records that may be left to copy while writers wait. */
const fewRecords = 100;
/** The number of attempts to catch up with writers. */
const maxRounds = 100;

export interface ShrinkOptions {
  readonly path: string;
  /** The minimum size of the file. Default: 32 MiB. */
  readonly atLeast?: number | undefined;
  /** Runs work while nothing is written. Default: at once. */
  readonly exclusively?: (work: () => Promise<void>) => Promise<void>;
  /** Whether to give up. */
  readonly isStopped?: () => boolean;
}

/** Whether a file is mostly free, so that shrinking it pays. */
export function isMostlyFree({ size }: Pick<Journal, "size">, atLeast = smallest): boolean {
  return size.bytes >= atLeast && size.freeBytes >= size.bytes / 2;
}

/**
 * Shrinks a mostly free file by copying it without free pages. Commits continue meanwhile and are copied
 * afterwards; only compactions must wait. The old file stays until the copy is durable and verified: a
 * crash leaves one or the other.
 */
export async function shrink(journal: Journal, options: ShrinkOptions): Promise<void> {
  const { path, exclusively = (work) => work() } = options;
  const directory = join(path, copyName);
  // An unfinished copy of an earlier attempt.
  await rm(directory, { recursive: true, force: true });
  if (!isMostlyFree(journal, options.atLeast)) return;
  let copy: Journal | undefined;
  try {
    if (!(await hasRoom(journal, path))) return;
    copy = await makeCopy(journal, directory);
    if (!(await catchUp(journal, copy, options))) return;
    await exclusively(async () => {
      if (options.isStopped?.() || copy === undefined) return;
      await copyRest(journal, copy, Number.POSITIVE_INFINITY);
      const isSame = copy.count === journal.count && copy.compacted === journal.compacted;
      await copy.close();
      copy = undefined;
      if (isSame) await journal.replaceBy(join(directory, dataFile));
    });
  } catch {
    // The file stays as it is, and shrinking is retried later; if it was already replaced, the journal
    // reopens the new one before it writes.
  } finally {
    await copy?.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Whether the disk has more space than the copy takes, so that the copy does not fill it. */
async function hasRoom(journal: Journal, path: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize > 2 * journal.usedBytes;
}

/** Makes a durable, verified copy of a recent state. */
async function makeCopy(journal: Journal, directory: string): Promise<Journal> {
  await mkdir(directory, { mode: 0o700 });
  await journal.copyTo(directory);
  await chmod(join(directory, dataFile), 0o600);
  await sync(join(directory, dataFile));
  return await Journal.open(directory);
}

/** Copies the records written meanwhile, except a few; returns whether that was possible. */
async function catchUp(
  journal: Journal,
  copy: Journal,
  { isStopped = () => false }: ShrinkOptions,
): Promise<boolean> {
  const { violation } = await verifyInTurns(copy, isStopped);
  if (violation !== undefined) return false;
  for (let round = 0; round < maxRounds && !isStopped(); round++) {
    if ((await copyRest(journal, copy, step)) < fewRecords) return true;
  }
  return false;
}

/** Appends up to about `limit` missing records to the copy; returns their number. */
async function copyRest(journal: Journal, copy: Journal, limit: number): Promise<number> {
  const records = journal.encodedAfter(copy.lastRevision, limit);
  await copy.append(records);
  return records.length;
}

async function sync(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
