import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { FileUsage } from "../../stats/stats-host.ts";

/** The files of a folder of logs, which has no others in it. */
export async function folderUsage(folder: string): Promise<FileUsage> {
  const names = await readdir(folder).catch(() => []);
  const files = await Promise.all(names.map((name) => fileUsage(join(folder, name))));
  return {
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    inodes: files.reduce((sum, { inodes }) => sum + inodes, 0),
  };
}

/** A file that vanished takes nothing. */
export async function fileUsage(path: string): Promise<FileUsage> {
  const stats = await lstat(path).catch(() => undefined);
  return stats ? { bytes: stats.blocks * blockBytes, inodes: 1 } : { bytes: 0, inodes: 0 };
}

/** The unit of POSIX's block counts. */
const blockBytes = 512;
