import { chmod, mkdir, open, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { dataFile } from "./data-directory.ts";
import { Journal } from "./journal.ts";
import { verifyInTurns } from "./verify-lmdb-store.ts";

/** What a file must at least be for its free pages to matter. */
const smallest = 32 * 2 ** 20;

/** Holds the copy while it is made. */
const copyName = "copy";

/** About so many records are brought into the copy at a time. */
const step = 1000;
/** How many may be left for when nobody can write. */
const fewRecords = 100;
/** How often those who write may be ahead before the copy is given up. */
const mostRounds = 100;

export interface ShrinkOptions {
  readonly path: string;
  /** How many bytes the file must have; 32 MiB by default. */
  readonly atLeast?: number | undefined;
  /** Does something while nothing is written; at once by default. */
  readonly exclusively?: (work: () => Promise<void>) => Promise<void>;
  /** Whether to give up. */
  readonly isStopped?: () => boolean;
}

/** Whether so much of a file is free that the disk should have it back. */
export function isMostlyFree({ size }: Pick<Journal, "size">, atLeast = smallest): boolean {
  return size.bytes >= atLeast && size.freeBytes >= size.bytes / 2;
}

/**
 * Gives the disk back what a file that is mostly free takes, by a copy without the free pages. Commits go
 * on meanwhile, and are copied after; only compactions must wait. The old file stays in place until the
 * copy is durable, was read, and holds the same: a crash leaves one or the other.
 */
export async function shrink(journal: Journal, options: ShrinkOptions): Promise<void> {
  const { path, exclusively = (work) => work() } = options;
  const directory = join(path, copyName);
  // One that was not finished.
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
    // The file stays as it is, and this is tried again; where it has lost its place already, the journal
    // takes the new one before it writes.
  } finally {
    await copy?.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Whether the disk has more than the copy takes, so that it is not the copy that fills it. */
async function hasRoom(journal: Journal, path: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize > 2 * journal.usedBytes;
}

/** A durable copy of a recent state that was found to be right. */
async function makeCopy(journal: Journal, directory: string): Promise<Journal> {
  await mkdir(directory, { mode: 0o700 });
  await journal.copyTo(directory);
  await chmod(join(directory, dataFile), 0o600);
  await sync(join(directory, dataFile));
  return await Journal.open(directory);
}

/** Brings the copy up to what was written meanwhile, but for a little; tells whether that was possible. */
async function catchUp(
  journal: Journal,
  copy: Journal,
  { isStopped = () => false }: ShrinkOptions,
): Promise<boolean> {
  const { violation } = await verifyInTurns(copy, isStopped);
  if (violation !== undefined) return false;
  for (let round = 0; round < mostRounds && !isStopped(); round++) {
    if ((await copyRest(journal, copy, step)) < fewRecords) return true;
  }
  return false;
}

/** Appends what the copy does not have, about so many records at most; tells how many. */
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
