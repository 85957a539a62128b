import { readFile, realpath } from "node:fs/promises";
import { CpuRates } from "../../../cri/cpu-rates.ts";
import type { ImageService } from "../../../cri/image-service.ts";
import { parseInterfaces } from "../../../cri/parse-interfaces.ts";
import type { FilesystemUsage } from "../../../cri/stats-types.ts";
import type { Cgroups } from "../../../platform/cgroups/cgroups.ts";
import { mountOf, parseMountInfo } from "../../../platform/mount-info.ts";
import type { DiskSpace, StatsHost, SystemContainer, UsedDisk } from "../../stats/stats-host.ts";
import { observeProcesses } from "../eviction/observe-processes.ts";
import { readFilesystem } from "../machine/filesystem.ts";
import { openMachine } from "../machine/machine.ts";
import { cgroupUsage, machineUsage } from "./machine-usage.ts";
import { ownCgroup } from "./own-cgroup.ts";
import { type PodFilesOptions, podFiles } from "./pod-files.ts";

export interface StatsHostOptions extends PodFilesOptions {
  readonly cgroups: Cgroups;
  readonly images: Pick<ImageService, "imageFsInfo">;
  /** The cgroup of the node: `/`, unless it shares the machine with other nodes. */
  readonly nodeCgroup: string;
  /** The cgroup of all pods; absent if pods have no cgroups of their own. */
  readonly podsCgroup?: string | undefined;
  /** The cgroups of processes that are no pods', if they are configured; empty where they are not. */
  readonly processCgroups?: ProcessCgroups | undefined;
}

export interface ProcessCgroups {
  /** By default that in which the kubelet is. */
  readonly kubelet: string;
  readonly runtime: string;
  /** That of all other processes. */
  readonly misc: string;
}

/** Reads what this machine uses. */
export function openStatsHost(options: StatsHostOptions): StatsHost {
  const { cgroups, clock, images, rootDir, nodeCgroup, podsCgroup } = options;
  const startedAt = clock.now();
  const machine = openMachine(clock);
  const counting = { cgroups, rates: new CpuRates(), now: () => clock.now() };
  const group = async (name: string, cgroup: string | undefined): Promise<SystemContainer[]> => {
    const usage = cgroup === undefined ? undefined : await cgroupUsage(cgroup, counting);
    return usage && cgroup !== undefined ? [{ name, cgroup, startedAt, ...usage }] : [];
  };
  const used = async (one: FilesystemUsage | undefined): Promise<UsedDisk | undefined> =>
    one && {
      used: { bytes: one.usedBytes, inodes: one.inodesUsed },
      space: await space(one.mountpoint),
    };
  return {
    machine: () => machineUsage(nodeCgroup, counting),
    network: async () =>
      parseInterfaces(await readFile("/proc/net/dev", "utf8")).filter(
        ({ name }) => !/^(veth|docker|nerdctl)/.test(name),
      ),
    async systemContainers() {
      const { kubelet = "", runtime = "", misc = "" } = options.processCgroups ?? {};
      const own = kubelet || (await ownCgroup(cgroups.version));
      const groups = [
        group("kubelet", own),
        group("runtime", runtime || undefined),
        group("misc", misc || undefined),
        group("pods", podsCgroup),
      ];
      return (await Promise.all(groups)).flat();
    },
    async disks() {
      const [node, info] = await Promise.all([space(rootDir), images.imageFsInfo()]);
      if (!node) throw new Error(`${rootDir} does not exist`);
      const [image, container] = await Promise.all([
        used(info.images[0]),
        used(info.containers[0]),
      ]);
      return { node, images: image, containers: container };
    },
    space,
    async tasks() {
      const { capacity: most, available } = await observeProcesses();
      return { most, count: most - available };
    },
    podFiles: podFiles(options),
    info: () => machine.info(),
  };
}

async function space(path: string): Promise<DiskSpace | undefined> {
  try {
    const [found, mounts, real] = await Promise.all([
      readFilesystem(path),
      readFile("/proc/self/mountinfo", "utf8"),
      realpath(path),
    ]);
    const { source = "" } = mountOf(real, parseMountInfo(mounts)) ?? {};
    return { ...found, device: source };
  } catch {
    return undefined;
  }
}
