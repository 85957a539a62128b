import { constants, statSync } from "node:fs";
import { type FileHandle, open, rm, utimes } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

/**
 * Lets a created container run by opening the pipe at which it waits, which is what `runc start` does. Resolves with
 * whether there is such a pipe; rejects if the process has ended.
 */
export async function openStartPipe(path: string, isWaiting: () => boolean): Promise<boolean> {
  const pipe = await openUnwritten(path).catch(ifMissing);
  if (!pipe) return false;
  try {
    for (;;) {
      // First: a short program may have written its byte and ended when the pipe is read.
      const isThere = isWaiting();
      if (await hasByte(pipe)) break;
      if (!isThere) throw new Error("its first process ended before it was started");
      await wait(1);
    }
  } finally {
    await pipe.close();
  }
  // As runc does: a container with a pipe has not been started.
  await rm(path, { force: true });
  return true;
}

/**
 * Whether the process that waits at a start pipe was let run: it writes one byte then. A process whose reader is
 * killed before that fails, and its program never runs. Undefined if there is no such pipe.
 */
export function isStartPipeWritten(path: string): boolean | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && stat.mtimeMs !== stat.atimeMs;
}

/** Opens a start pipe whose times are equal until something is written: reading leaves them as they are. */
async function openUnwritten(path: string): Promise<FileHandle> {
  await utimes(path, 0, 0);
  // Without blocking: a process that has ended would never open the other end.
  return open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOATIME);
}

async function hasByte(pipe: FileHandle): Promise<boolean> {
  try {
    return (await pipe.read(Buffer.alloc(1), 0, 1)).bytesRead > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return false;
    throw error;
  }
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
