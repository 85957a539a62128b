import { constants } from "node:fs";
import { chmod, chown, type FileHandle, lstat, open, readdir } from "node:fs/promises";

export interface OwnershipRequest {
  readonly folder: string;
  readonly fsGroup: number;
  readonly isReadOnly: boolean;
  /** Whether nothing is done if the folder itself is right. */
  readonly onRootMismatch: boolean;
}

/**
 * Gives all files of a volume to a group, which may then read and write them; new files inherit the group. Files are
 * changed by handles, and links are not followed: pods that share the volume could replace a file by a link to one of
 * the node. The folder itself is last, so that an interrupted change is done again.
 */
export async function changeOwnership(request: OwnershipRequest): Promise<void> {
  const { folder, onRootMismatch } = request;
  if (onRootMismatch && (await isRight(request))) return;
  const root = await open(folder, pathOnly);
  try {
    await changeBelow(root, request);
  } finally {
    await root.close();
  }
}

/** Whether the folder belongs to the group, which has its rights, and new files will, too. */
async function isRight({ folder, fsGroup, isReadOnly }: OwnershipRequest): Promise<boolean> {
  const found = await lstat(folder);
  const wanted = addedMode(true, isReadOnly);
  return found.isDirectory() && found.gid === fsGroup && (found.mode & wanted) === wanted;
}

async function changeBelow(handle: FileHandle, request: OwnershipRequest): Promise<void> {
  const found = await handle.stat();
  // Permissions of a link are those of its target.
  if (found.isSymbolicLink()) return;
  const here = `/proc/self/fd/${handle.fd}`;
  if (found.isDirectory())
    for (const name of await readdir(here, { encoding: "buffer" })) {
      const child = await opened(Buffer.concat([Buffer.from(`${here}/`), name]));
      if (!child) continue;
      await changeBelow(child, request).finally(() => child.close());
    }
  const { fsGroup, isReadOnly } = request;
  if (found.gid !== fsGroup) await chown(here, -1, fsGroup);
  const mode = (found.mode & 0o7777) | addedMode(found.isDirectory(), isReadOnly);
  if (mode !== (found.mode & 0o7777) || found.gid !== fsGroup) await chmod(here, mode);
}

const addedMode = (isFolder: boolean, isReadOnly: boolean): number =>
  (isReadOnly ? 0o440 : 0o660) | (isFolder ? 0o2110 : 0);

/** Opens a file to change it; undefined if it was removed meanwhile. */
const opened = (path: Buffer): Promise<FileHandle | undefined> =>
  open(path, pathOnly).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });

/** O_PATH, which Node does not name: the handle serves for nothing but naming the file. */
const pathOnly = 0o10000000 | constants.O_NOFOLLOW;
