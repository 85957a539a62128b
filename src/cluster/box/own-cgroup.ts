import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { findHierarchies } from "../../platform/cgroups/cgroup-hierarchies.ts";
import type { BoxPaths } from "./box-paths.ts";

/**
 * Makes the cgroup of the processes of a box that are no pods; resolves with the file that takes pids into it. It is
 * only in the hierarchy by which service managers find the processes that they end with a service: a box outlives
 * the one that opened it. Undefined where there is none.
 */
export async function ownCgroup({ cgroup }: BoxPaths): Promise<string | undefined> {
  const found = findHierarchies(await readFile("/proc/self/mountinfo", "utf8"));
  const hierarchy = found?.unified ?? found?.all.find((path) => path.endsWith("/systemd"));
  if (hierarchy === undefined) return undefined;
  // In a leaf: a cgroup of version 2 that has limits for those below has no processes itself.
  const folder = join(hierarchy, cgroup, "system");
  try {
    await mkdir(folder, { recursive: true });
    return join(folder, "cgroup.procs");
  } catch {
    // In a container, cgroups may be read-only.
    return undefined;
  }
}
