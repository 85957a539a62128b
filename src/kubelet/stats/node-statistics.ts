import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { familiesText, type ReadFamily } from "../../base/metrics-text.ts";
import type { Kubelet } from "../kubelet.ts";
import { cgroupMetrics, machineMetrics, scrapeErrors } from "./machine-metrics.ts";
import { mergeFamilies } from "./merge-families.ts";
import { nodeMetrics } from "./node-metrics.ts";
import { readPodStats } from "./read-pod-stats.ts";
import { resourceMetrics, scrapeError } from "./resource-metrics.ts";
import { runtimeMetrics } from "./runtime-metrics.ts";
import type { PodFiles, StatsHost } from "./stats-host.ts";
import { type SummaryDetails, summaryOf } from "./summary.ts";

export interface StatisticsOptions {
  /** Absent for a node without a machine: only what its runtime knows is shown. */
  readonly host?: StatsHost | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** What a node uses, in the forms in which it is asked for. Everything is read when it is asked for. */
export interface NodeStatistics {
  /** For `/stats/summary`; some callers want only CPU and memory, which are cheaper. */
  summary(onlyCpuAndMemory: boolean): Promise<object>;
  /** For `/metrics/resource`. */
  resourceMetrics(): Promise<string>;
  /** For `/metrics/cadvisor`. */
  cadvisorMetrics(): Promise<string>;
  /** The metrics of `/metrics` that are not kept up to date. */
  nodeMetrics(): Promise<string>;
}

export function nodeStatistics(kubelet: Kubelet, options: StatisticsOptions): NodeStatistics {
  const { nodeName, runtime } = kubelet;
  const { host, clock, log } = options;

  /** The metrics, or none if they cannot be read. */
  const attempt = async (
    read: () => Promise<readonly ReadFamily[]>,
  ): Promise<readonly ReadFamily[] | undefined> => {
    try {
      return await read();
    } catch (error) {
      log.error("reading metrics failed", error);
      return undefined;
    }
  };
  return {
    async summary(onlyCpuAndMemory) {
      const [pods, machine, systemContainers, details] = await Promise.all([
        readPodStats(kubelet, onlyCpuAndMemory ? undefined : host),
        host?.machine(),
        host?.systemContainers(),
        host && !onlyCpuAndMemory ? readDetails(host) : undefined,
      ]);
      const now = clock.now();
      return summaryOf({ nodeName, now, pods, machine, systemContainers, details });
    },
    async resourceMetrics() {
      const found = await attempt(async () => {
        const [pods, machine] = await Promise.all([readPodStats(kubelet), host?.machine()]);
        return resourceMetrics(pods, { machine, now: clock.now() });
      });
      return familiesText(mergeFamilies([...(found ?? []), scrapeError(found === undefined)]));
    },
    async cadvisorMetrics() {
      const containers = await attempt(() => runtimeMetrics(runtime));
      const machine = await attempt(() => (host ? readMachine(host) : Promise.resolve([])));
      const errors = scrapeErrors(machine === undefined, containers === undefined);
      return familiesText(mergeFamilies([...(containers ?? []), ...(machine ?? []), ...errors]));
    },
    async nodeMetrics() {
      const found = await attempt(async () => {
        const [sandboxes, containers] = await Promise.all([
          runtime.listPodSandboxes({ state: "ready" }),
          runtime.listContainers(),
        ]);
        const files = new Map<string, PodFiles>();
        for (const { id, metadata } of host ? sandboxes : [])
          files.set(id, await (host as StatsHost).podFiles(metadata));
        return nodeMetrics({ kubelet, sandboxes, containers, files });
      });
      return familiesText(found ?? []);
    },
  };
}

async function readDetails(host: StatsHost): Promise<SummaryDetails> {
  const [network, disks, tasks] = await Promise.all([host.network(), host.disks(), host.tasks()]);
  return { network, disks, tasks };
}

async function readMachine(host: StatsHost): Promise<readonly ReadFamily[]> {
  const [facts, usage, network, disks, groups] = await Promise.all([
    host.info(),
    host.machine(),
    host.network(),
    host.disks(),
    host.systemContainers(),
  ]);
  const root = { id: "/", usage, startedAt: usage.bootedAt, network, disk: disks.node };
  const others = groups.map((one) => ({ id: one.cgroup, usage: one, startedAt: one.startedAt }));
  return [...machineMetrics(facts), ...cgroupMetrics([root, ...others])];
}
