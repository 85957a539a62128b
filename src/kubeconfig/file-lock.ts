import { mkdir, open, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fileFault } from "./file-fault.ts";

/** Runs a function while files are locked with kubectl's lock files; throws at once if one is locked. */
export async function withLockedFiles<T>(
  { paths, cwd = "" }: { readonly paths: readonly string[]; readonly cwd?: string },
  work: () => Promise<T>,
): Promise<T> {
  const locks: string[] = [];
  try {
    // Always in the same order, so that two processes cannot deadlock.
    for (const path of paths.toSorted()) {
      const file = resolve(cwd, path);
      await mkdir(dirname(file), { recursive: true, mode: 0o755 });
      await create(`${file}.lock`, `${path}.lock`);
      locks.push(`${file}.lock`);
    }
    return await work();
  } finally {
    await Promise.all(locks.map((lock) => rm(lock, { force: true })));
  }
}

/** Errors name the file as the user does. */
async function create(path: string, name: string): Promise<void> {
  try {
    await (await open(path, "wx", 0)).close();
  } catch (cause) {
    throw new Error(fileFault("open", name, cause), { cause });
  }
}
