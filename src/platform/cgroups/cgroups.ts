import type { CgroupStats, CgroupUsage } from "./cgroup-stats.ts";
import type { LinuxResources } from "./linux-resources.ts";

/**
 * The cgroups of a host, whichever version it has. A path is that of an OCI configuration: `/kubepods/podUID/ID`,
 * or systemd's `SLICE:PREFIX:NAME`.
 */
export interface Cgroups {
  readonly version: CgroupVersion;
  /** The controllers of the host, such as `memory`. */
  readonly controllers: ReadonlySet<string>;
  /** Whether a cgroup exists in all hierarchies of pods' controllers, with all of these. */
  exists(path: string): Promise<boolean>;
  /** Creates a cgroup and those above it, with all controllers. */
  create(path: string): Promise<void>;
  /** The names of the cgroups directly below, in any hierarchy. */
  children(path: string): Promise<readonly string[]>;
  /** The processes in a cgroup and those below it. */
  pids(path: string): Promise<readonly number[]>;
  /** Whether the kernel killed a process in it for lack of memory. */
  hasOomKill(path: string): Promise<boolean>;
  /** What its processes use; zeros for a cgroup that does not exist. */
  usage(path: string): Promise<CgroupUsage>;
  /** All that the kernel counts; undefined for a cgroup that does not exist. */
  stats(path: string): Promise<CgroupStats | undefined>;
  /** Its weight of CPU as in version 1, and its limits; those that it does not have are absent. */
  limits(path: string): Promise<CgroupLimits>;
  /** Changes the limits of a cgroup; those that are absent stay. Rejects if the kernel refuses one. */
  update(path: string, resources: LinuxResources): Promise<void>;
  /**
   * Removes a cgroup and those below it, in all hierarchies; one that does not exist is not an error. Waits a
   * moment for processes that are ending.
   */
  remove(path: string): Promise<void>;
}

export type CgroupLimits = Pick<LinuxResources, "cpuShares" | "cpuQuota" | "memoryLimitBytes">;

/** In a hybrid host version 1 has the controllers, and version 2 is mounted beside. */
export type CgroupVersion = "v1" | "hybrid" | "v2";
