import { type FileHandle, open, readFile } from "node:fs/promises";
import { type Clock, sleep } from "../../base/clock.ts";
import { errorMessage } from "../../base/error-message.ts";
import { mustRun } from "../../platform/run-child.ts";

/** A lock among the agents of a machine, which ends with its process. */
export interface LockFile {
  /** Resolves when another process waits for the lock. */
  contended(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Locks a file, which is created; waits while another process has the lock. */
export async function lockFile(path: string, clock: Clock): Promise<LockFile> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, "a+", 0o600);
    // The lock belongs to the open file, which this process keeps, not to the process that locks it.
    await mustRun("flock", ["--exclusive", "0"], { stdin: file.fd });
  } catch (error) {
    await file?.close();
    throw new Error(
      `unable to acquire file lock on ${JSON.stringify(path)}: ${errorMessage(error)}`,
      { cause: error },
    );
  }
  const { ino } = await file.stat();
  const locked = file;
  return {
    async contended(signal) {
      while (!isAwaited(await readFile("/proc/locks", "utf8"), ino))
        await sleep(clock, lookMs, signal);
    },
    close: () => locked.close(),
  };
}

/** Whether a process waits for the lock of a file: such lines of `/proc/locks` have an arrow. */
export function isAwaited(locks: string, inode: number): boolean {
  return locks
    .split("\n")
    .some((line) => line.includes(" -> FLOCK ") && line.includes(`:${inode} `));
}

/** Node's watchers do not report that a file is opened. */
const lookMs = 500;
