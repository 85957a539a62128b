import { existsSync } from "node:fs";
import { readdir, readFile, readlink, statfs } from "node:fs/promises";
import type { Clock } from "../../base/clock.ts";
import { type InterfaceCounters, parseInterfaceCounters } from "../../cri/parse-interfaces.ts";
import type {
  ContainerMetrics,
  MetricDescriptor,
  PodSandboxMetrics,
} from "../../cri/stats-types.ts";
import { runChild } from "../../platform/run-child.ts";
import type { Container } from "../containers/containers.ts";
import type { EngineParts } from "../engine-parts.ts";
import type { Sandbox } from "../sandboxes/engine-sandboxes.ts";
import { criDetails } from "./container-details.ts";
import {
  type ContainerReading,
  containerMetricRows,
  type ProcessReading,
} from "./container-metrics.ts";
import { describeRow, type MetricLabels, measure } from "./metric-row.ts";
import { networkMetricRows } from "./network-metrics.ts";

export interface EngineMetricsOptions extends Pick<EngineParts, "cgroups" | "snapshots"> {
  readonly clock: Clock;
}

/** All metrics that the engine has, for `/metrics/cadvisor` of a kubelet. */
export const metricDescriptors: readonly MetricDescriptor[] = [
  ...containerMetricRows.map(describeRow),
  ...networkMetricRows.map(describeRow),
];

/** The metrics of a pod and of those of its containers that run. */
export async function podMetrics(
  sandbox: Sandbox,
  containers: readonly Container[],
  options: EngineMetricsOptions,
): Promise<PodSandboxMetrics> {
  const { id, config } = sandbox;
  const { name: pod, namespace } = config.metadata;
  const labels = { pod, namespace, container: "", id, image: "" };
  const found = await Promise.all(
    containers.map((one) => containerMetrics(one, { pod, namespace }, options)),
  );
  const interfaces = await interfacesOf(sandbox, containers);
  return {
    sandboxId: id,
    metrics: measure(networkMetricRows, interfaces, { labels, at: options.clock.now() }),
    containers: found.filter((one) => one !== undefined),
  };
}

/** The metrics of a container; undefined if it does not run, or has ended while they were read. */
async function containerMetrics(
  container: Container,
  pod: Pick<MetricLabels, "pod" | "namespace">,
  options: EngineMetricsOptions,
): Promise<ContainerMetrics | undefined> {
  const { id, settings, state } = container;
  if (state.phase !== "running") return undefined;
  const { startedAt, pid } = state;
  const found = await readContainer(container, pid, options).catch((error) => {
    if (existsSync(`/proc/${pid}`)) throw error;
    return undefined;
  });
  if (!found) return undefined;
  const { config, image = "" } = criDetails(container) ?? {};
  const at = options.clock.now();
  const { metadata, userSpecifiedImage } = config ?? {};
  const shownImage = userSpecifiedImage || image;
  const labels = { ...pod, container: metadata?.name ?? "", id, image: shownImage };
  const read = { at, startedAt, resources: settings.resources, ...found };
  return { containerId: id, metrics: measure(containerMetricRows, read, { labels, at }) };
}

async function readContainer(
  { id, settings: { cgroupsPath } }: Container,
  pid: number,
  { cgroups, snapshots }: EngineMetricsOptions,
): Promise<Pick<ContainerReading, "stats" | "disk" | "processes"> | undefined> {
  const [stats, pids, written, root] = await Promise.all([
    cgroups.stats(cgroupsPath),
    cgroups.pids(cgroupsPath),
    snapshots.recentUsage(id),
    statfs(`/proc/${pid}/root`),
  ]);
  if (!stats) return undefined;
  const disk = {
    usedBytes: written.bytes,
    sizeBytes: root.blocks * root.bsize,
    inodes: root.files,
    freeInodes: root.ffree,
  };
  return { stats, disk, processes: await readProcesses(pids, pid) };
}

async function readProcesses(pids: readonly number[], first: number): Promise<ProcessReading> {
  const opened = (await Promise.all(pids.map(openFiles))).flat();
  const limits = await readFile(`/proc/${first}/limits`, "utf8").catch(() => "");
  const [, limit] = /^Max open files\s+(\d+|unlimited)/m.exec(limits) ?? [];
  return {
    count: pids.length,
    files: opened.length,
    sockets: opened.filter((target) => target.startsWith("socket:")).length,
    ...(limit !== undefined && { mostFiles: limit === "unlimited" ? -1 : Number(limit) }),
  };
}

/** What the open files of a process are; none if it has ended. */
async function openFiles(pid: number): Promise<readonly string[]> {
  const folder = `/proc/${pid}/fd`;
  const names = await readdir(folder).catch(() => []);
  return Promise.all(names.map((name) => readlink(`${folder}/${name}`).catch(() => "")));
}

/** The interfaces of a pod: without a process in its network, another one enters it. */
async function interfacesOf(
  { namespaces: { network } }: Sandbox,
  containers: readonly Container[],
): Promise<readonly InterfaceCounters[]> {
  if (network === undefined) return [];
  const [pid] = containers.flatMap(({ state }) => (state.phase === "running" ? [state.pid] : []));
  if (pid !== undefined) {
    const text = await readFile(`/proc/${pid}/net/dev`, "utf8").catch(() => undefined);
    if (text !== undefined) return parseInterfaceCounters(text);
  }
  const { stdout } = await runChild("nsenter", [`--net=${network}`, "cat", "/proc/net/dev"]);
  return parseInterfaceCounters(stdout);
}
