import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

/** Where the parts of a box are. All follow from its folder, so that they are found without its record, too. */
export interface BoxPaths {
  readonly folder: string;
  /** The options with which it was opened, and its first process. */
  readonly record: string;
  /** The root directory of its processes. */
  readonly root: string;
  /** What they change of the machine's directories, and the overlays' own files. */
  readonly upper: string;
  readonly work: string;
  /** The table of its mounts, in the format of `fstab`. */
  readonly mounts: string;
  /** Its `/etc/resolv.conf`. */
  readonly resolvConf: string;
  /** The identities of the processes that were started in it. */
  readonly processes: string;
  /** The name of its network interface on the machine. */
  readonly link: string;
  /** The parent of the cgroups of its pods. */
  readonly cgroup: string;
  /** 32 hexadecimal digits, distinct for each box of a machine. */
  readonly machineId: string;
}

/** The variable with the folder of a box that its first process, and all that make it, have in their environment. */
export const boxMarker = "WHERRY_BOX";

/** The paths of the box in a folder, which need not exist. */
export async function boxPaths(given: string): Promise<BoxPaths> {
  const absolute = resolve(given);
  // A folder that is reached by several paths is one box.
  const parent = await realpath(dirname(absolute)).catch(() => dirname(absolute));
  const folder = join(parent, basename(absolute));
  const id = createHash("sha256").update(folder).digest("hex");
  return {
    folder,
    record: join(folder, "box.json"),
    root: join(folder, "root"),
    upper: join(folder, "upper"),
    work: join(folder, "work"),
    mounts: join(folder, "mounts"),
    resolvConf: join(folder, "resolv.conf"),
    processes: join(folder, "processes"),
    link: `wh${id.slice(0, 10)}`,
    cgroup: `/wherry-${id.slice(0, 10)}`,
    machineId: id.slice(0, 32),
  };
}
