import type { CgroupVersion } from "./cgroups.ts";

/** The mounted hierarchies of a host. */
export interface CgroupHierarchies {
  readonly version: CgroupVersion;
  /** The mount points of the controllers of version 1, such as `memory`. */
  readonly controllers: ReadonlyMap<string, string>;
  /** The mount point of version 2. */
  readonly unified?: string | undefined;
  /** All mount points, also those without controllers. */
  readonly all: readonly string[];
}

/** Finds the hierarchies in a `mountinfo` file; undefined if there are none. */
export function findHierarchies(mountinfo: string): CgroupHierarchies | undefined {
  const controllers = new Map<string, string>();
  const all = new Set<string>();
  let unified: string | undefined;
  for (const line of mountinfo.split("\n")) {
    const [before = "", after = ""] = line.split(" - ");
    const [type = "", , options = ""] = after.split(" ");
    const folder = before.split(" ")[4] ?? "";
    if (type === "cgroup2") unified ??= folder;
    else if (type !== "cgroup") continue;
    else
      for (const name of options.split(","))
        if (v1Controllers.has(name) && !controllers.has(name)) controllers.set(name, folder);
    all.add(folder);
  }
  if (all.size === 0) return undefined;
  const version = controllers.size === 0 ? "v2" : unified === undefined ? "v1" : "hybrid";
  return { version, controllers, unified, all: [...all] };
}

const v1Controllers: ReadonlySet<string> = new Set([
  "blkio",
  "cpu",
  "cpuacct",
  "cpuset",
  "devices",
  "freezer",
  "hugetlb",
  "memory",
  "net_cls",
  "net_prio",
  "perf_event",
  "pids",
  "rdma",
  "misc",
]);
