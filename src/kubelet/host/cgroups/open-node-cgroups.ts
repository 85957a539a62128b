import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import { openCgroups } from "../../../platform/cgroups/host-cgroups.ts";
import { systemdCgroups } from "../../../platform/cgroups/systemd-cgroups.ts";
import type { LinuxSettings } from "../../pod/linux/linux-settings.ts";
import { type LimitNodeOptions, limitNode } from "./limit-node.ts";
import { type MeasureOptions, measuredCgroups } from "./measured-cgroups.ts";
import { openPodCgroups, type PodCgroups, type PodCgroupsOptions } from "./pod-cgroups.ts";

/** The cgroups of a machine for pods. */
export interface NodeCgroups extends PodCgroups {
  /** Limits all pods together to what the machine has, until it is closed. */
  limit(
    options: Pick<LimitNodeOptions, "configuration" | "clock" | "record">,
  ): Promise<{ close(): void }>;
}

export interface NodeCgroupsOptions
  extends Pick<PodCgroupsOptions, "podPidsLimit" | "hasUnlimitedCpu">,
    MeasureOptions {}

/** Opens the cgroups of this machine, and creates those of the classes of pods; undefined if pods shall have none. */
export async function openNodeCgroups(
  { cgroups: naming, resources }: LinuxSettings,
  options: NodeCgroupsOptions,
): Promise<NodeCgroups | undefined> {
  if (!naming) return undefined;
  const host = await openCgroups();
  const named = naming.driver === "systemd" ? systemdCgroups(host) : host;
  const cgroups = measuredCgroups(named, options);
  const pods = openPodCgroups({ ...resources, ...options, cgroups, naming });
  await pods.ensureRoots();
  const capacity = {
    ...{
      cpu: `${cpus().length}`,
      memory: `${resources.memoryCapacityBytes}`,
      pid: `${mostPids()}`,
    },
  };
  return { ...pods, limit: (options) => limitNode({ ...options, cgroups, naming, capacity }) };
}

/** The most processes that the kernel allows. */
const mostPids = (): number =>
  Math.min(
    ...["pid_max", "threads-max"].map((name) =>
      Number(readFileSync(`/proc/sys/kernel/${name}`, "utf8")),
    ),
  );
