import { lstat, mkdir, realpath, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { mount, mountAt, unmountBelow } from "./mounts.ts";
import { openInFolder } from "./safe-open.ts";

/** A part of a volume that a container mounts. */
export interface SubPath {
  readonly volumePath: string;
  readonly subPath: string;
  /** Where the part is mounted, for the container: `volume-subpaths/VOLUME/CONTAINER/INDEX`. */
  readonly target: string;
}

/**
 * Mounts a part of a volume where containers cannot change it any more: between a check of the path and its use by
 * the runtime, a container could replace a folder by a link to a path of the node. Resolves with the mounted path.
 */
export async function bindSubPath({ volumePath, subPath, target }: SubPath): Promise<string> {
  const folder = await realpath(volumePath);
  const { mode } = await lstat(folder);
  const handle = await openInFolder(folder, subPath, mode & 0o7777);
  try {
    const found = await handle.stat();
    if (await mountAt(target)) {
      const mounted = await lstat(target);
      if (mounted.dev === found.dev && mounted.ino === found.ino) return target;
      await unmountBelow(target);
    }
    await prepareTarget(target, found.isDirectory());
    await mount(target, { source: `/proc/${process.pid}/fd/${handle.fd}`, options: [] });
    return target;
  } finally {
    await handle.close();
  }
}

/** The place of a mount must be of the same type; nothing is mounted there. */
async function prepareTarget(target: string, isFolder: boolean): Promise<void> {
  await mkdir(dirname(target), { recursive: true, mode: 0o750 });
  const present = await lstat(target).catch(() => undefined);
  if (present && present.isDirectory() !== isFolder)
    await (present.isDirectory() ? rmdir(target) : rm(target));
  if (isFolder) await mkdir(target, { recursive: true, mode: 0o750 });
  else await writeFile(target, "", { mode: 0o640 });
}

/** The place at which a part of a volume is mounted for a container. */
export const subPathTarget = (
  subPaths: string,
  { volume, container, index }: { volume: string; container: string; index: number },
): string => join(subPaths, volume, container, String(index));
