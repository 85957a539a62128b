import { constants } from "node:fs";
import { type FileHandle, open, readlink } from "node:fs/promises";

/**
 * Reads a file in a root folder as a process would whose root it is. Each part of the path is opened in the folder
 * before it, without following links, so that a running container that moves folders and replaces links meanwhile
 * cannot make it read a file of the node.
 */
export async function readInRoot(root: string, path: string, maxBytes: number): Promise<string> {
  const folders: FileHandle[] = [await open(root, constants.O_DIRECTORY)];
  try {
    const left = path.split("/").reverse();
    for (let links = 0; ; ) {
      const part = left.pop();
      if (part === undefined) throw failure("EISDIR", "is a directory");
      if (part === "..") await closeAll(folders.splice(Math.max(1, folders.length - 1)));
      if (isStep(part)) continue;
      const place = `/proc/self/fd/${folders.at(-1)?.fd}/${part}`;
      const target = await linkAt(place);
      if (target === undefined) {
        if (left.every((name) => name === "" || name === "."))
          return await readRegular(place, maxBytes);
        folders.push(await open(place, constants.O_DIRECTORY | constants.O_NOFOLLOW));
        continue;
      }
      if (++links > mostLinks) throw failure("ELOOP", "too many levels of symbolic links");
      if (target.startsWith("/")) await closeAll(folders.splice(1));
      left.push(...target.split("/").reverse());
    }
  } finally {
    await closeAll(folders);
  }
}

/** The limit of Linux. */
const mostLinks = 40;

/** Whether a part of a path names no file. */
function isStep(part: string): boolean {
  return part === "" || part === "." || part === "..";
}

/** Without O_NONBLOCK, opening a named pipe would wait for a writer. */
const readOnly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

async function readRegular(place: string, maxBytes: number): Promise<string> {
  const file = await open(place, readOnly);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw failure("EINVAL", "is not a regular file");
    if (stats.size > maxBytes) throw failure("EFBIG", `is larger than ${maxBytes} bytes`);
    const buffer = Buffer.alloc(stats.size);
    const { bytesRead } = await file.read(buffer, 0, stats.size, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

async function linkAt(place: string): Promise<string | undefined> {
  try {
    return await readlink(place);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EINVAL") return undefined;
    throw error;
  }
}

async function closeAll(handles: readonly FileHandle[]): Promise<void> {
  for (const handle of handles) await handle.close();
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code });
}
