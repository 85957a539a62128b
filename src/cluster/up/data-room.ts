import { constants } from "node:fs";
import { access, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { ensurePrivateDir } from "../../platform/files.ts";

/** As much as a new cluster takes, several times. */
const neededBytes = 32 * 1024 * 1024;

/** Makes a directory that only its owner may enter; throws what keeps it from being written. */
export async function ensureWritableDir(dir: string): Promise<void> {
  try {
    await ensurePrivateDir(dir);
  } catch (error) {
    // What cannot be made below a directory that cannot be written is reported as missing.
    await access(await nearest(dir), constants.W_OK);
    throw error;
  }
}

/** Makes a directory for a cluster's data, where there is room for them. */
export async function ensureDataRoom(dir: string): Promise<void> {
  await ensureWritableDir(dir);
  const { bavail, bsize } = await statfs(dir);
  const bytes = bavail * bsize;
  if (bytes >= neededBytes) return;
  const megabytes = (value: number): number => Math.floor(value / 1024 / 1024);
  const free = `${megabytes(bytes)} MB are free, and ${megabytes(neededBytes)} are needed`;
  throw Object.assign(new Error(free), { code: "ENOSPC" });
}

/** A directory, or what leads to it and is there. */
async function nearest(dir: string): Promise<string> {
  const isThere = await stat(dir).then(
    () => true,
    () => false,
  );
  return isThere || dirname(dir) === dir ? dir : nearest(dirname(dir));
}
