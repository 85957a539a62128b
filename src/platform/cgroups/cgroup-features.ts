import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Which limits the cgroups of this node know. */
export interface CgroupFeatures {
  readonly swap: boolean;
  readonly hugetlb: boolean;
}

/** The limits that the cgroups of this node know. */
export function cgroupFeatures(
  root = "/sys/fs/cgroup",
  self = "/proc/self/cgroup",
): CgroupFeatures {
  const controllers = join(root, "cgroup.controllers");
  if (!existsSync(controllers)) {
    return {
      swap: existsSync(join(root, "memory/memory.memsw.limit_in_bytes")),
      hugetlb: existsSync(join(root, "hugetlb")),
    };
  }
  // The topmost cgroup has no limits: that of this process shows which there are.
  const own = /^0::(.*)$/m.exec(readFileSync(self, "utf8"))?.[1] ?? "/";
  return {
    swap: existsSync(join(root, own, "memory.swap.max")),
    hugetlb: readFileSync(controllers, "utf8").trim().split(" ").includes("hugetlb"),
  };
}
