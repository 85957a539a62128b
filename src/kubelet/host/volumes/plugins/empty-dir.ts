import { chmod, lchown, mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Node } from "../../../../api/core/v1/node/node.ts";
import type { MemoryFolder } from "../memory-folder.ts";
import { mount, mountAt } from "../mounts.ts";
import type { VolumePlugin, VolumeRequest } from "../volume-plugin.ts";
import { hugePageSize } from "./huge-page-size.ts";
import { memoryVolumeBytes } from "./memory-volume-bytes.ts";

export interface EmptyDirOptions {
  readonly memory: MemoryFolder;
  readonly node: () => Node | undefined;
}

/** Folders that live as long as their pod: on the disk of the node, in memory, or in huge pages. */
export const emptyDirPlugin = ({ memory, node }: EmptyDirOptions): VolumePlugin => ({
  name: "kubernetes.io/empty-dir",
  supports: ({ source }) => source.emptyDir !== undefined,
  ownsFiles: true,
  async setUp(request) {
    const { volume, folder: path } = request;
    const { medium = "", sizeLimit } = volume.source.emptyDir ?? {};
    if (medium === "") await createFolder(request);
    else if (medium === "Memory") {
      const { noSwap } = await memory.ready();
      const bytes = memoryVolumeBytes(request.pod, sizeLimit, node()?.status?.allocatable?.memory);
      await mountMemory(request, [
        ...(bytes === undefined ? [] : [`size=${bytes}`]),
        ...(noSwap ? ["noswap"] : []),
      ]);
    } else await mountHugePages(request, hugePageSize(medium, request.pod));
    return { path, isReadOnly: false, isManaged: true };
  },
});

/** Mounts a tmpfs with its mode, and with the group that new files inherit. */
async function mountMemory(
  { folder, fsGroup }: VolumeRequest,
  options: readonly string[],
): Promise<void> {
  const root = fsGroup === undefined ? ["mode=1777"] : ["mode=3777", `gid=${fsGroup}`];
  await mkdir(folder, { recursive: true, mode: 0o750 });
  if (await mountAt(folder)) return;
  await mount(folder, { type: "tmpfs", source: "tmpfs", options: [...options, ...root] });
}

async function mountHugePages({ folder, fsGroup }: VolumeRequest, pageSize: string): Promise<void> {
  const root = fsGroup === undefined ? [] : ["mode=0775", `gid=${fsGroup}`];
  await mkdir(folder, { recursive: true, mode: 0o750 });
  if (!(await mountAt(folder))) {
    const options = [`pagesize=${pageSize}`, ...root];
    await mount(folder, { type: "hugetlbfs", source: "nodev", options });
  }
  if (fsGroup === undefined) return;
  // The file system takes no mode by which new files inherit the group.
  const { mode } = await stat(folder);
  await chmod(folder, (mode & 0o7777) | 0o2000);
}

/** Renaming makes the folder visible with its owner and mode. Later both are the pod's. */
async function createFolder({ folder, fsGroup }: VolumeRequest): Promise<void> {
  if (await exists(folder)) return;
  const draft = join(dirname(folder), `..new-${folder.slice(dirname(folder).length + 1)}`);
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true, mode: 0o750 });
  if (fsGroup !== undefined) await lchown(draft, -1, fsGroup);
  await chmod(draft, fsGroup === undefined ? 0o777 : 0o2777);
  await rename(draft, folder);
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
