import { constants } from "node:fs";
import { access, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { ensurePrivateDir } from "../../platform/files.ts";

/** Several times the size of a new cluster. */
const neededBytes = 32 * 1024 * 1024;

/** Creates a directory that only its owner may enter; throws if it is not writable. */
export async function ensureWritableDir(dir: string): Promise<void> {
  try {
    await ensurePrivateDir(dir);
  } catch (error) {
    // Below a read-only directory mkdir fails with ENOENT: report the parent's error instead.
    await access(await nearest(dir), constants.W_OK);
    throw error;
  }
}

/** Creates a directory for a cluster's data; throws if the disk has too little free space. */
export async function ensureDataRoom(dir: string): Promise<void> {
  await ensureWritableDir(dir);
  const { bavail, bsize } = await statfs(dir);
  const bytes = bavail * bsize;
  if (bytes >= neededBytes) return;
  const megabytes = (value: number): number => Math.floor(value / 1024 / 1024);
  const free = `${megabytes(bytes)} MB are free, ${megabytes(neededBytes)} MB are needed`;
  throw Object.assign(new Error(free), { code: "ENOSPC" });
}

/** The directory, or its nearest parent that exists. */
async function nearest(dir: string): Promise<string> {
  const isThere = await stat(dir).then(
    () => true,
    () => false,
  );
  return isThere || dirname(dir) === dir ? dir : nearest(dirname(dir));
}
