import { stat, statfs } from "node:fs/promises";

/** The file system of a path. */
export interface Filesystem {
  readonly capacityBytes: number;
  /** What processes without privileges may still write. */
  readonly availableBytes: number;
  readonly usedBytes: number;
  /** 0 for file systems that do not count them. */
  readonly inodes: number;
  readonly inodesFree: number;
  /** Equal for paths on the same file system. */
  readonly device: number;
}

/** Reads the state of the file system of a path. */
export async function readFilesystem(path: string): Promise<Filesystem> {
  const [{ bsize, blocks, bavail, bfree, files, ffree }, { dev }] = await Promise.all([
    statfs(path),
    stat(path),
  ]);
  return {
    capacityBytes: blocks * bsize,
    availableBytes: bavail * bsize,
    usedBytes: (blocks - bfree) * bsize,
    inodes: files,
    inodesFree: ffree,
    device: dev,
  };
}
