import { mkdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { PersistentVolume } from "../../../../api/core/v1/volume/persistent-volume.ts";
import { changeOwnership } from "../change-ownership.ts";
import { keyedLocks } from "../keyed-locks.ts";
import { isMountedBelow, mount, mountAt, unmountBelow } from "../mounts.ts";
import type { VolumeFolders } from "../volume-folders.ts";
import type { MountedVolume, VolumePlugin, VolumeRequest, VolumeSpec } from "../volume-plugin.ts";
import { mountDevice } from "./mount-device.ts";

/** Folders and disks of this node that persistent volumes name; `prepare` is called before one is mounted. */
export function localPlugin(
  folders: VolumeFolders,
  prepare: (volume: PersistentVolume) => Promise<void> = async () => {},
): VolumePlugin {
  const inTurn = keyedLocks();
  const devices = join(folders.root, "plugins/kubernetes.io/local-volume/mounts");
  return {
    name: "kubernetes.io/local-volume",
    supports: ({ persistentVolume }) => persistentVolume?.spec.local !== undefined,
    setUp: (request) =>
      inTurn(request.volume.name, async () => {
        const { mode, persistentVolume } = request.volume;
        if (mode === "Block") return blockDevice(request);
        if (persistentVolume && !(await mountAt(request.folder))) await prepare(persistentVolume);
        return mountFolder(request, devices, folders);
      }),
    tearDown: ({ name, path }) =>
      inTurn(name, async () => {
        await unmountBelow(path);
        await unmountUnused(join(devices, name), folders);
      }),
  };
}

async function blockDevice({ volume }: VolumeRequest): Promise<MountedVolume> {
  const path = await realpath(sourceOf(volume).path);
  if (!(await stat(path)).isBlockDevice()) throw new Error(`${path} is not a block device`);
  return { path, isReadOnly: volume.readOnly, isManaged: false };
}

async function mountFolder(
  { volume, folder, fsGroup, onRootMismatch }: VolumeRequest,
  devices: string,
  folders: VolumeFolders,
): Promise<MountedVolume> {
  const { readOnly } = volume;
  const mounted = { path: folder, isReadOnly: readOnly, isManaged: !readOnly };
  if (await mountAt(folder)) return mounted;
  const source = await sourceFolder(volume, devices);
  const isFirst = !(await isMountedBelow(folders.pods, source));
  await mkdir(folder, { recursive: true, mode: 0o750 });
  const options = volume.persistentVolume?.spec.mountOptions ?? [];
  if (fsGroup !== undefined && !readOnly && isFirst)
    await changeOwnership({ folder: source, fsGroup, isReadOnly: false, onRootMismatch });
  await mount(folder, { source, options: [...(readOnly ? ["ro"] : []), ...options] });
  return mounted;
}

/** The folder of a volume, or the folder at which its disk is mounted for all pods. */
async function sourceFolder(volume: VolumeSpec, devices: string): Promise<string> {
  const { path, fsType } = sourceOf(volume);
  if (path.split("/").includes(".."))
    throw new Error(`invalid path: ${path} must not contain '..'`);
  const found = await stat(path);
  if (found.isDirectory()) return realpath(path);
  if (!found.isBlockDevice()) throw new Error("only directory and block device are supported");
  const target = join(devices, volume.name);
  const { readOnly, persistentVolume } = volume;
  const options = persistentVolume?.spec.mountOptions ?? [];
  await mountDevice({ device: path, target, fsType: fsType ?? "ext4", readOnly, options });
  return target;
}

/** Unmounts a disk that no pod uses any more. */
async function unmountUnused(target: string, folders: VolumeFolders): Promise<void> {
  if (!(await mountAt(target)) || (await isMountedBelow(folders.pods, target))) return;
  await unmountBelow(target);
}

function sourceOf({ persistentVolume }: VolumeSpec): {
  readonly path: string;
  readonly fsType?: string | undefined;
} {
  const { local } = persistentVolume?.spec ?? {};
  if (!local?.path) throw new Error("local volume source is nil or local path is not set");
  return local;
}
