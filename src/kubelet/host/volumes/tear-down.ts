import type { Dirent } from "node:fs";
import { lstat, readdir, rm, rmdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { runChild } from "../../../platform/run-child.ts";
import { isThere } from "./is-there.ts";
import { unmountBelow } from "./mounts.ts";
import { pluginName, type VolumeFolders } from "./volume-folders.ts";
import type { VolumeFolder, VolumePlugin } from "./volume-plugin.ts";

/**
 * Removes all that is on this machine of a pod's volumes, as the folders show it. Nothing is removed before it is
 * certain that nothing is mounted there any more, and only files in folders that belong to the pod.
 */
export async function tearDownVolumes(
  podUid: string,
  folders: VolumeFolders,
  plugins: readonly VolumePlugin[],
): Promise<void> {
  const pod = folders.pod(podUid);
  const found = await volumeFoldersOf(podUid, folders, plugins);
  // Parts of a volume that are still mounted would keep it busy.
  if (found.some(({ plugin }) => plugin?.tearDown)) await unmountBelow(folders.subPaths(podUid));
  await tearDownAll(podUid, found);
  const inMemory = join(folders.memory, podUid);
  await unmountBelow(pod, inMemory);
  for (const { plugin, path } of found) {
    if (plugin?.ownsFiles) await removeTree(path);
    else await removeEmpty(path);
  }
  await removeSubPaths(folders.subPaths(podUid));
  await removeTree(inMemory);
  const all = [folders.volumes(podUid), folders.devices(podUid)];
  for (const folder of all) for (const { path } of await entriesOf(folder)) await removeEmpty(path);
  for (const path of [...all, pod]) await removeIfEmpty(path);
}

/** What keeps one volume from being removed does not keep the others; rejects with the first error. */
async function tearDownAll(podUid: string, found: readonly FoundVolume[]): Promise<void> {
  const outcomes = await Promise.allSettled(
    found.map(async ({ plugin, ...volume }) => plugin?.tearDown?.({ podUid, ...volume })),
  );
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

/** The pods of which a volume may be left. */
export async function podsWithVolumes(folders: VolumeFolders): Promise<readonly string[]> {
  const inMemory = (await entriesOf(folders.memory)).map(({ name }) => name);
  const uids = new Set(inMemory);
  for (const { name } of await entriesOf(folders.pods))
    for (const folder of [folders.volumes(name), folders.devices(name), folders.subPaths(name)])
      if ((await entriesOf(folder)).length > 0) uids.add(name);
  return [...uids];
}

interface FoundVolume extends Omit<VolumeFolder, "podUid"> {
  readonly plugin: VolumePlugin | undefined;
}

async function volumeFoldersOf(
  podUid: string,
  folders: VolumeFolders,
  plugins: readonly VolumePlugin[],
): Promise<readonly FoundVolume[]> {
  const found: FoundVolume[] = [];
  const look = async (parent: string, mode: VolumeFolder["mode"]): Promise<void> => {
    for (const { name: folder, path: own } of await entriesOf(parent)) {
      const plugin = plugins.find(({ name }) => name === pluginName(folder));
      for (const { name, path } of await entriesOf(own)) found.push({ plugin, name, path, mode });
    }
  };
  await look(folders.volumes(podUid), "Filesystem");
  await look(folders.devices(podUid), "Block");
  return found;
}

/** The places of mounted sub paths: empty files and folders. */
async function removeSubPaths(folder: string): Promise<void> {
  for (const volume of await entriesOf(folder)) {
    for (const container of await entriesOf(volume.path)) {
      for (const { path, entry } of await entriesOf(container.path))
        await (entry.isDirectory() ? rmdir(path) : unlink(path));
      await rmdir(container.path);
    }
    await rmdir(volume.path);
  }
  await removeIfEmpty(folder);
}

/**
 * Removes a folder with all files in it. Those of containers may have names that Node cannot read, and paths that are
 * too long for it.
 */
async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    const { stderr } = await runChild("rm", ["-rf", "--one-file-system", "--", path]);
    if (await isThere(path)) throw new Error(`removing ${path} failed: ${stderr.trim()}`);
  }
}

/** Removes a link, or a folder on which something was mounted: what is in it belongs to somebody else. */
async function removeEmpty(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isSymbolicLink()) await unlink(path);
  else if (found) await rmdir(path);
}

async function removeIfEmpty(path: string): Promise<void> {
  await rmdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT" && error.code !== "ENOTEMPTY" && error.code !== "EEXIST")
      throw error;
  });
}

interface Entry {
  readonly name: string;
  readonly path: string;
  readonly entry: Dirent;
}

/** A folder that does not exist is empty. */
async function entriesOf(folder: string): Promise<readonly Entry[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
      throw error;
    },
  );
  return entries.map((entry) => ({ name: entry.name, path: join(folder, entry.name), entry }));
}
