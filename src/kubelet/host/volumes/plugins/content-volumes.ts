import { createHash } from "node:crypto";
import { chmod, lchown, mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { VolumeSource } from "../../../../api/core/v1/volume/volume.ts";
import type { Clock } from "../../../../base/clock.ts";
import { downwardFiles } from "../content/downward-files.ts";
import type { VolumeFiles } from "../content/file-content.ts";
import {
  type ContentSources,
  projectedFiles,
  referredFiles,
  type VolumeContent,
} from "../content/projected-files.ts";
import { isWritten, writeFiles } from "../content/write-files.ts";
import type { MemoryFolder } from "../memory-folder.ts";
import { nestedMountPoints } from "../nested-mount-points.ts";
import type { VolumeFolders } from "../volume-folders.ts";
import type { VolumePlugin, VolumeRequest } from "../volume-plugin.ts";

export interface ContentOptions extends ContentSources {
  readonly folders: VolumeFolders;
  readonly memory: MemoryFolder;
  readonly clock: Clock;
}

/** Volumes whose files show other objects: config maps, secrets, the pod itself, or all of them. */
export function contentPlugins(options: ContentOptions): readonly VolumePlugin[] {
  const { references, node } = options;
  const configMaps = contentPlugin("configMap", {
    ...options,
    name: "kubernetes.io/configmap",
    // As upstream, which would charge the memory to itself.
    isOnDisk: true,
    async content({ name = "", items, defaultMode, optional = false }, { pod }) {
      const keyed = { of: "configMap", name, items, defaultMode, optional } as const;
      return { files: await referredFiles(keyed, pod, references) };
    },
  });
  const secrets = contentPlugin("secret", {
    ...options,
    name: "kubernetes.io/secret",
    async content({ secretName: name = "", items, defaultMode, optional = false }, { pod }) {
      const keyed = { of: "secret", name, items, defaultMode, optional } as const;
      return { files: await referredFiles(keyed, pod, references) };
    },
  });
  const downward = contentPlugin("downwardAPI", {
    ...options,
    name: "kubernetes.io/downward-api",
    content: async ({ items = [], defaultMode }, { pod }) => ({
      files: downwardFiles({ pod, items, defaultMode, node: node() }),
    }),
  });
  const projected = contentPlugin("projected", {
    ...options,
    name: "kubernetes.io/projected",
    content: (source, request) => projectedFiles(source, request, options),
  });
  return [configMaps, secrets, downward, projected];
}

interface ContentPlugin<S> extends ContentOptions {
  readonly name: string;
  readonly isOnDisk?: boolean;
  content(source: S, request: VolumeRequest): Promise<VolumeContent>;
}

function contentPlugin<K extends keyof VolumeSource>(
  field: K,
  { name, isOnDisk = false, content, ...options }: ContentPlugin<NonNullable<VolumeSource[K]>>,
): VolumePlugin {
  const { folders, clock } = options;
  return {
    name,
    supports: ({ source }) => source[field] !== undefined,
    followsObjects: true,
    ownsFiles: true,
    async setUp(request) {
      const { pod, volume, fsGroup, before } = request;
      const { uid = "" } = pod.metadata;
      const folder = isOnDisk ? request.folder : folders.memoryVolume(uid, name, volume.name);
      const mounted = { path: folder, isReadOnly: true, isManaged: true };
      const source = volume.source[field] as NonNullable<VolumeSource[K]>;
      try {
        const { files, renewAt } = await content(source, request);
        const contentHash = hashOf(files);
        if (before?.contentHash === contentHash) return { ...mounted, renewAt, contentHash };
        if (!isOnDisk) await options.memory.ready();
        if (!(await isWritten(folder))) await createFolder(folder, request, isOnDisk);
        await writeFiles({ folder, files, fsGroup, now: clock.now() });
        return { ...mounted, renewAt, contentHash };
      } catch (error) {
        if (await isWritten(folder)) return { ...mounted, staleBecause: error };
        throw error;
      }
    },
  };
}

/** Reading the files to compare them would take longer. */
function hashOf(files: VolumeFiles): string {
  const hash = createHash("sha256");
  for (const [path, { bytes }] of files) hash.update(`${path}\0${bytes.length}\0`).update(bytes);
  return hash.digest("base64");
}

/** Creates the folder of a volume, with the folders in it at which containers mount other volumes. */
async function createFolder(
  folder: string,
  { pod, volume, folder: usual, fsGroup }: VolumeRequest,
  isOnDisk: boolean,
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o750 });
  if (!isOnDisk) await link(usual, folder);
  if (fsGroup !== undefined) await lchown(folder, -1, fsGroup);
  // As a tmpfs of its own would have.
  const mode = isOnDisk ? 0o777 : 0o1777;
  await chmod(folder, fsGroup === undefined ? mode : mode | 0o2000);
  for (const path of nestedMountPoints(volume.name, pod))
    await mkdir(join(folder, path), { recursive: true, mode: 0o755 });
}

/** Links the usual path of a volume to its folder in memory. */
async function link(path: string, target: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o750 });
  await symlink(target, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
}
