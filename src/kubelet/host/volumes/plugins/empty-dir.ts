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
    const { volume, folder: path, pod } = request;
    const { medium = "", sizeLimit } = volume.source.emptyDir ?? {};
    const ready = { path, isReadOnly: false, isManaged: true };
    if (medium === "") {
      await createFolder(request);
      return ready;
    }
    await mkdir(path, { recursive: true, mode: 0o750 });
    if (await mountAt(path)) return ready;
    if (medium === "Memory") {
      const bytes = memoryVolumeBytes(pod, sizeLimit, node()?.status?.allocatable?.memory);
      const { noSwap } = await memory.ready();
      const options = [
        ...(bytes === undefined ? [] : [`size=${bytes}`]),
        ...rootOptions(request.fsGroup),
        ...(noSwap ? ["noswap"] : []),
      ];
      await mount(path, { type: "tmpfs", source: "tmpfs", options });
    } else {
      const options = [`pagesize=${hugePageSize(medium, pod)}`, ...rootOptions(request.fsGroup)];
      await mount(path, { type: "hugetlbfs", source: "nodev", options });
    }
    return ready;
  },
});

/** The mode of the root of a tmpfs, and the group that new files inherit. */
const rootOptions = (fsGroup: number | undefined): readonly string[] =>
  fsGroup === undefined ? ["mode=1777"] : ["mode=3777", `gid=${fsGroup}`];

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
