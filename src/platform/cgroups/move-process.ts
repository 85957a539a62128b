import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type CgroupHierarchies, findHierarchies } from "./cgroup-hierarchies.ts";
import { cgroupPath } from "./cgroup-path.ts";

/** Moves processes between cgroups, in all hierarchies of the host. */
export interface ProcessMover {
  /** The processes in a cgroup itself, not in those below it. */
  processesIn(path: string): Promise<readonly number[]>;
  /** Moves a process to a cgroup that exists; one that has ended is not an error. */
  move(pid: number, path: string): Promise<void>;
}

/** Opens the cgroups of this host. */
export async function openProcessMover(): Promise<ProcessMover> {
  const hierarchies = findHierarchies(await readFile("/proc/self/mountinfo", "utf8"));
  if (!hierarchies) throw new Error("no cgroups are mounted: mount them at /sys/fs/cgroup");
  const roots = rootsOf(hierarchies);
  const fileIn = (root: string, path: string): string =>
    join(root, cgroupPath(path), "cgroup.procs");
  return {
    async processesIn(path) {
      const [root = ""] = roots;
      const text = await readFile(fileIn(root, path), "utf8");
      return text
        .split("\n")
        .filter((line) => line !== "")
        .map(Number);
    },
    async move(pid, path) {
      for (const root of roots)
        await writeFile(fileIn(root, path), String(pid)).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== "ESRCH") throw error;
        });
    },
  };
}

/** Controllers of version 1 may share a hierarchy. */
const rootsOf = ({ version, unified = "", controllers }: CgroupHierarchies): readonly string[] =>
  version === "v2" ? [unified] : [...new Set(controllers.values())];
