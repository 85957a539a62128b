import { readFileSync } from "node:fs";
import { cpus } from "node:os";
import type { Metrics } from "../../../base/metrics.ts";
import { openCgroups } from "../../../platform/cgroups/host-cgroups.ts";
import { systemdCgroups } from "../../../platform/cgroups/systemd-cgroups.ts";
import type { LinuxSettings } from "../../pod/linux/linux-settings.ts";
import type { MemoryQos, RequestedMemory } from "../../pod/linux/memory-qos.ts";
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
  extends Pick<PodCgroupsOptions, "podPidsLimit" | "hasUnlimitedCpu" | "qosReserve">,
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
  const requested = resources.memoryQos && memoryQosMetrics(options.metrics, resources.memoryQos);
  const pods = openPodCgroups({ ...resources, ...options, cgroups, naming, requested });
  await pods.ensureRoots();
  const capacity = {
    ...{
      cpu: `${cpus().length}`,
      memory: `${resources.memoryCapacityBytes}`,
      pid: `${mostPids()}`,
    },
  };
  const protectsReserved = resources.memoryQos !== undefined;
  return {
    ...pods,
    limit: (options) => limitNode({ ...options, cgroups, naming, capacity, protectsReserved }),
  };
}

/** Shows how much memory of pods is protected. */
function memoryQosMetrics(metrics: Metrics, { isTiered }: MemoryQos) {
  const gauge = (name: string, help: string) =>
    metrics.gauge({ name: `kubelet_memory_qos_node_${name}`, help, stability: "ALPHA" }).of();
  const min = gauge(
    "memory_min_bytes",
    "Total cgroup v2 memory.min in bytes for Guaranteed pods. This memory is hard-reserved and never reclaimed by the kernel.",
  );
  const low = gauge(
    "memory_low_bytes",
    "Total cgroup v2 memory.low in bytes for Burstable pods. This memory is soft-reserved and may be reclaimed under extreme pressure.",
  );
  return ({ guaranteed, burstable }: RequestedMemory): void => {
    min.set(isTiered ? guaranteed : 0);
    low.set(isTiered ? burstable : 0);
  };
}

/** The most processes that the kernel allows. */
const mostPids = (): number =>
  Math.min(
    ...["pid_max", "threads-max"].map((name) =>
      Number(readFileSync(`/proc/sys/kernel/${name}`, "utf8")),
    ),
  );
