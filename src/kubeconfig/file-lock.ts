import { mkdir, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { fileFault } from "./file-fault.ts";

/** Runs a function while files are locked with kubectl's lock files; throws at once if one is locked. */
export async function withLockedFiles<T>(
  paths: readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  const locks: string[] = [];
  try {
    // Always in the same order, so that two processes cannot deadlock.
    for (const path of paths.toSorted()) {
      await mkdir(dirname(path), { recursive: true, mode: 0o755 });
      const lock = `${path}.lock`;
      await create(lock);
      locks.push(lock);
    }
    return await work();
  } finally {
    await Promise.all(locks.map((lock) => rm(lock, { force: true })));
  }
}

async function create(path: string): Promise<void> {
  try {
    await (await open(path, "wx", 0)).close();
  } catch (cause) {
    throw new Error(fileFault("open", path, cause), { cause });
  }
}
