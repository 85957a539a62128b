import { join } from "node:path";

/**
 * The folders of a kubelet's volumes, as upstream has them:
 *
 *     ROOT/pods/UID/volumes/kubernetes.io~empty-dir/NAME
 *     ROOT/pods/UID/volumeDevices/kubernetes.io~csi/NAME
 *     ROOT/pods/UID/volume-subpaths/NAME/CONTAINER/INDEX
 *
 * What must never be on disk is in one tmpfs, which saves a mount for each volume; upstream's path is a link to it:
 *
 *     ROOT/memory-volumes/UID/kubernetes.io~secret/NAME
 */
export interface VolumeFolders {
  readonly root: string;
  /** The tmpfs of all pods. */
  readonly memory: string;
  readonly pods: string;
  pod(podUid: string): string;
  /** The folders of the volumes of all plugins. */
  volumes(podUid: string): string;
  volume(podUid: string, plugin: string, name: string): string;
  /** The links to the block devices of all plugins. */
  devices(podUid: string): string;
  device(podUid: string, plugin: string, name: string): string;
  /** The folder of a volume in memory. */
  memoryVolume(podUid: string, plugin: string, name: string): string;
  subPaths(podUid: string): string;
}

export function volumeFolders(root: string): VolumeFolders {
  const pods = join(root, "pods");
  const memory = join(root, "memory-volumes");
  return {
    root,
    memory,
    pods,
    pod: (podUid) => join(pods, podUid),
    volumes: (podUid) => join(pods, podUid, "volumes"),
    volume: (podUid, plugin, name) => join(pods, podUid, "volumes", folderName(plugin), name),
    devices: (podUid) => join(pods, podUid, "volumeDevices"),
    device: (podUid, plugin, name) => join(pods, podUid, "volumeDevices", folderName(plugin), name),
    memoryVolume: (podUid, plugin, name) => join(memory, podUid, folderName(plugin), name),
    subPaths: (podUid) => join(pods, podUid, "volume-subpaths"),
  };
}

/** The name of a plugin's folder: `kubernetes.io~empty-dir`. */
const folderName = (plugin: string): string => plugin.replaceAll("/", "~");

/** The name of the plugin of a folder. */
export const pluginName = (folder: string): string => folder.replaceAll("~", "/");
