import type { Stats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { runChild } from "./run-child.ts";

/** What files take on disk. */
export interface DiskUsage {
  readonly bytes: number;
  readonly inodes: number;
}

/**
 * Counts what a folder takes on disk, itself included. A file with several names counts once, a hole does not
 * count. Files that vanish meanwhile are skipped.
 */
export async function diskUsage(folder: string): Promise<DiskUsage> {
  try {
    return await countFiles(folder);
  } catch (error) {
    // A container can make paths that are too long for one call; du goes down step by step.
    if (hasCode(error, "ENAMETOOLONG")) return await diskUsageByDu(folder);
    throw error;
  }
}

async function countFiles(folder: string): Promise<DiskUsage> {
  const linked = new Set<string>();
  const usage = { bytes: 0, inodes: 0 };
  const folders: Buffer[] = [];
  const count = async (path: Buffer): Promise<void> => {
    const stats = await present(lstat(path));
    if (stats === undefined || isCounted(stats, linked)) return;
    usage.bytes += stats.blocks * unitBytes;
    usage.inodes++;
    if (stats.isDirectory()) folders.push(path);
  };
  await count(Buffer.from(folder));
  for (let path = folders.pop(); path !== undefined; path = folders.pop())
    await eachEntry(path, count);
  return usage;
}

/**
 * Counts the same by `du`, for large folders: two processes take less time than Node takes for some hundred files.
 */
export async function diskUsageByDu(folder: string): Promise<DiskUsage> {
  const [bytes, inodes] = await Promise.all([du("-B1", folder), du("--inodes", folder)]);
  return { bytes, inodes };
}

/** It counts on, and fails at last, when files vanish meanwhile. */
async function du(unit: string, folder: string): Promise<number> {
  const { stdout, stderr } = await runChild("du", ["-s", unit, "--", folder]);
  const counted = Number.parseInt(stdout, 10);
  if (Number.isNaN(counted)) throw new Error(`du ${folder}: ${stderr.trim()}`);
  return counted;
}

/** Names are bytes here: a container may choose some that are not UTF-8. */
async function eachEntry(path: Buffer, visit: (path: Buffer) => Promise<void>): Promise<void> {
  const names = (await present(readdir(path, { encoding: "buffer" }))) ?? [];
  for (let at = 0; at < names.length; at += atOnce)
    await Promise.all(
      names.slice(at, at + atOnce).map((name) => visit(Buffer.concat([path, slash, name]))),
    );
}

const slash = Buffer.from("/");

function isCounted(stats: Stats, linked: Set<string>): boolean {
  if (stats.isDirectory() || stats.nlink === 1) return false;
  const inode = `${stats.dev}:${stats.ino}`;
  if (linked.has(inode)) return true;
  linked.add(inode);
  return false;
}

const atOnce = 32;
/** The unit of POSIX's block counts. */
const unitBytes = 512;

async function present<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    // Something else may be in its place, too.
    if (["ENOENT", "ENOTDIR", "ELOOP"].some((code) => hasCode(error, code))) return undefined;
    throw error;
  }
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;
