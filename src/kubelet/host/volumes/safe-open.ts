import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readlink } from "node:fs/promises";
import { posix } from "node:path";

/**
 * Opens a path in a folder, whose content others may change at any moment, and never anything outside: each name is
 * opened relative to the folder before it, without following links. A link is followed by hand, as the node would,
 * if it stays in the folder. Missing folders are created with a mode, if one is given.
 *
 * The handle can be mounted as `/proc/PID/fd/FD`. The caller closes it.
 */
export async function openInFolder(
  folder: string,
  path: string,
  createMode?: number,
): Promise<FileHandle> {
  const walk = await Walk.from(folder);
  try {
    const left = namesOf(path).reverse();
    for (let name = left.pop(); name !== undefined; name = left.pop()) {
      const target = await walk.enter(name, createMode);
      if (target === undefined) continue;
      if (target.startsWith("/")) await walk.restart();
      left.push(...namesOf(target.startsWith("/") ? relative(folder, target) : target).reverse());
    }
    return walk.take();
  } finally {
    await walk.close();
  }
}

const namesOf = (path: string): string[] =>
  path.split("/").filter((name) => name !== "" && name !== ".");

function relative(folder: string, target: string): string {
  if (target !== folder && !target.startsWith(`${folder}/`)) throw outside(target);
  return posix.relative(folder, target);
}

/** The open folders from the root of the walk to where it is. */
class Walk {
  readonly #stack: FileHandle[] = [];
  #links = 0;

  static async from(folder: string): Promise<Walk> {
    const walk = new Walk();
    walk.#stack.push(await open(folder, pathOnly));
    return walk;
  }

  /** Enters a name; resolves with its target if it is a link. */
  async enter(name: string, createMode: number | undefined): Promise<string | undefined> {
    if (name === "..") {
      if (this.#stack.length === 1) throw outside(name);
      await this.#stack.pop()?.close();
      return undefined;
    }
    const path = `${this.#here}/${name}`;
    const handle = await open(path, pathOnly).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" && createMode !== undefined) return create(path, createMode);
      throw error;
    });
    this.#stack.push(handle);
    if (!(await handle.stat()).isSymbolicLink()) return undefined;
    this.#stack.pop();
    await handle.close();
    if (++this.#links > mostLinks) throw new Error("too many levels of symbolic links");
    return readlink(path);
  }

  /** Goes back to the root. */
  async restart(): Promise<void> {
    for (const handle of this.#stack.splice(1)) await handle.close();
  }

  /** Gives the last handle to the caller. */
  take(): FileHandle {
    return this.#stack.pop() as FileHandle;
  }

  async close(): Promise<void> {
    for (const handle of this.#stack.splice(0)) await handle.close();
  }

  /** Files of this process by number: nobody else can replace them. */
  get #here(): string {
    return `/proc/self/fd/${this.#stack.at(-1)?.fd}`;
  }
}

/** Why a missing folder could not be created. */
export class CannotCreate extends Error {
  override readonly name = "CannotCreate";
}

async function create(path: string, mode: number): Promise<FileHandle> {
  await mkdir(path, { mode: 0o700 }).catch((cause: unknown) => {
    throw new CannotCreate("cannot create directory", { cause });
  });
  const folder = await open(
    path,
    constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW,
  );
  try {
    // The mode of mkdir depends on the process.
    await folder.chmod(mode);
  } finally {
    await folder.close();
  }
  return open(path, pathOnly);
}

const outside = (path: string): Error => new Error(`path ${path} is outside of the volume`);

/** O_PATH, which Node does not name: neither reads nor runs anything, and works for sockets and devices, too. */
const pathOnly = 0o10000000 | constants.O_NOFOLLOW;
/** The limit of Linux. */
const mostLinks = 40;
