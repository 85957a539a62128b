import type { BigIntStats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { SnapshotChange } from "./snapshots.ts";

/** Three views of the file system of a container. */
export interface Trees {
  /** The layers, as an overlay without the container's folder. */
  readonly before: string;
  /** The layers with the container's folder. */
  readonly after: string;
  /** The container's folder: what is not in it has not changed. */
  readonly upper: string;
}

/**
 * The paths that differ between the layers and the file system of a container, sorted. A folder with a change below
 * it counts as changed; of a deleted folder only the folder itself is reported.
 */
export async function compareTrees(trees: Trees): Promise<readonly SnapshotChange[]> {
  const changes = await folderChanges(trees, "/");
  return changes.sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)));
}

async function folderChanges(trees: Trees, path: string): Promise<SnapshotChange[]> {
  const [before, after] = await Promise.all([
    names(join(trees.before, path)),
    names(join(trees.after, path)),
  ]);
  const changes: SnapshotChange[] = [...before]
    .filter((name) => !after.has(name))
    .map((name) => ({ path: join(path, name), kind: "deleted" }));
  for (const name of after) {
    const child = join(path, name);
    changes.push(...(await (before.has(name) ? kept(trees, child) : added(trees, child))));
  }
  return changes;
}

async function kept(trees: Trees, path: string): Promise<SnapshotChange[]> {
  if (!(await statOf(join(trees.upper, path)))) return [];
  const before = await statOf(join(trees.before, path));
  const after = await statOf(join(trees.after, path));
  if (before === undefined || after === undefined) return [];
  const below = after.isDirectory() ? await folderChanges(trees, path) : [];
  const isChanged = below.length > 0 || differs(before, after);
  return isChanged ? [{ path, kind: "changed" }, ...below] : [];
}

async function added(trees: Trees, path: string): Promise<SnapshotChange[]> {
  const isFolder = (await statOf(join(trees.after, path)))?.isDirectory();
  const below = isFolder ? await folderChanges(trees, path) : [];
  return [{ path, kind: "added" }, ...below];
}

/** Sizes and times of folders say nothing: overlay copies a folder for any change below it. */
function differs(before: BigIntStats, after: BigIntStats): boolean {
  const isSame =
    before.mode === after.mode &&
    before.uid === after.uid &&
    before.gid === after.gid &&
    before.rdev === after.rdev &&
    (after.isDirectory() || (before.size === after.size && before.mtimeNs === after.mtimeNs));
  return !isSame;
}

/** None if it is not a folder. */
async function names(folder: string): Promise<ReadonlySet<string>> {
  return new Set(await unlessMissing(readdir(folder)));
}

const statOf = (path: string): Promise<BigIntStats | undefined> =>
  unlessMissing(lstat(path, { bigint: true }));

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
