import { join } from "node:path";
import type { Container } from "../../../api/core/v1/container/container.ts";
import type { ResourceStatus } from "../../../api/core/v1/container/container-status.ts";
import type { Node } from "../../../api/core/v1/node/node.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { Metrics } from "../../../base/metrics.ts";
import type { RuntimeService } from "../../../cri/runtime-service.ts";
import type { KubeletConfiguration } from "../../config/kubelet-configuration.ts";
import { deviceStatuses } from "../../devices/device-statuses.ts";
import { allocatedDevices, healthyDevices } from "../../devices/listed-devices.ts";
import type { NodeFindings } from "../../node/node-findings.ts";
import { amountOf } from "../../pod/node-use.ts";
import type { ContainerAdditions } from "../../pod/pod-host.ts";
import { refuseStaticResize } from "../../pod/resize/refuse-static-resize.ts";
import type { ResourceAllocator } from "../../pod/resource-allocator.ts";
import { type MachineTopology, numaNodesOf } from "../../topology/machine-topology.ts";
import { ResourceAdmission } from "../../topology/resource-admission.ts";
import { createTopologyMetrics } from "../../topology/topology-metrics.ts";
import { topologyPolicy } from "../../topology/topology-policy.ts";
import type { Claims } from "../claims/open-claims.ts";
import { openDevices } from "../devices/open-devices.ts";
import type { PluginHandlers } from "../plugins/plugin-handler.ts";
import { openCpus } from "./open-cpus.ts";
import { openMemory } from "./open-memory.ts";
import { createPodResourcesMetrics } from "./pod-resources-metrics.ts";
import { servePodResources } from "./serve-pod-resources.ts";

export interface NodeResourcesOptions {
  readonly configuration: KubeletConfiguration;
  /** The feature gates that are on. */
  readonly features: ReadonlySet<string>;
  readonly topology: MachineTopology;
  /** The root directory of the kubelet. */
  readonly rootDir: string;
  readonly runtime: RuntimeService;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** The pods whose containers may run, and one of them by name. */
  readonly pods: () => readonly Pod[];
  readonly pod: (namespace: string, name: string) => Pod | undefined;
  /** Whether the containers of a pod may still run. */
  readonly isActive: (podUid: string) => boolean;
  /** Called with pods whose resources have changed. */
  readonly changed: (podUid: string) => void;
  /** Absent if pods cannot use claims. */
  readonly claims?: Pick<Claims, "cdiDevices" | "resourceStatuses" | "of"> | undefined;
}

/** The resources of a machine that are allocated to pods. */
export interface NodeResources extends ResourceAllocator {
  readonly handlers: PluginHandlers;
  /** Whether no kubelet has allocated devices on this machine: what is said of them is outdated. */
  readonly isNewMachine: boolean;
  readonly devices: () => NodeFindings["devices"];
  resourceStatuses(pod: Pod, container: string): readonly ResourceStatus[];
  additions(pod: Pod, container: Container): Promise<ContainerAdditions | undefined>;
  /** Whether the CPU of a container, or of a pod with such containers, is not limited because it has CPUs for itself. */
  hasUnlimitedCpu(podUid: string, container?: string): boolean;
  /** The pods to which something is allocated, whether they still exist or not. */
  podUids(): readonly string[];
  /** Lets device plugins register, and tells others on the node what its pods have. */
  serve(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the resources of a machine, as an earlier kubelet has allocated them. */
export async function openNodeResources(options: NodeResourcesOptions): Promise<NodeResources> {
  const { configuration, features, topology, rootDir, clock, metrics, claims } = options;
  const machine = numaNodesOf(topology);
  const policy = topologyPolicy({
    policy: configuration.topologyManagerPolicy ?? "none",
    scope: configuration.topologyManagerScope ?? "container",
    options: configuration.topologyManagerPolicyOptions ?? {},
    nodes: machine.nodes.length,
  });
  const running = await runningContainers(options);
  const { manager, registry, ...devices } = await openDevices({
    ...options,
    folder: join(rootDir, "device-plugins"),
    numaNodes: machine.nodes,
    wasRunning: (podUid, container) => running.has(`${podUid}/${container}`),
    affinityOf: (podUid, container) => admission.affinityOf(podUid, container),
  });
  const cpus = await openCpus({ ...options, topologyPolicy: policy.name });
  const memory = await openMemory(options);
  const providers = [manager, cpus.manager, memory.manager].filter((one) => one !== undefined);
  const admission = new ResourceAdmission({
    ...{ policy, machine, providers },
    metrics: createTopologyMetrics(metrics, clock, policy),
  });
  const hasUnlimitedCpu = (podUid: string, container?: string): boolean => {
    if (!features.has("DisableCPUQuotaWithExclusiveCPUs")) return false;
    const ofPod = cpus.exclusive.get(podUid);
    return container === undefined ? ofPod !== undefined : (ofPod?.has(container) ?? false);
  };
  let server: { close(): Promise<void> } | undefined;
  /** Pods are admitted one by one: each gets what those before it left. */
  let turn: Promise<unknown> = Promise.resolve();
  return {
    handlers: { DevicePlugin: devices.handler },
    isNewMachine: devices.isNew,
    devices: () => registry.amounts(),
    admit(pod) {
      if (!admission.concerns(pod)) return undefined;
      const admitted = turn.then(() => admission.admit(pod));
      turn = admitted;
      return admitted;
    },
    offered: (node, pod) =>
      manager.allocated.has(pod.metadata.uid ?? "")
        ? withAtLeast(node, manager.amountsInUse())
        : node,
    resourceStatuses: (pod, container) => [
      ...deviceStatuses(manager.allocated.of(pod.metadata.uid ?? "", container), registry),
      ...(claims?.resourceStatuses(pod, container) ?? []),
    ],
    async additions(pod, container) {
      const { uid = "" } = pod.metadata;
      const claimed = claims?.cdiDevices(pod, container) ?? [];
      const additions = await manager.additions(pod, container);
      await memory.manager?.starts(pod, container);
      const linux = {
        cpusetCpus: cpus.created(uid, container.name),
        cpusetMems: memory.manager?.nodesOf(uid, container.name).join(","),
      };
      if (claimed.length === 0) return { ...additions, linux };
      const cdiDevices = [...new Set([...claimed, ...(additions?.cdiDevices ?? [])])];
      return { ...additions, linux, cdiDevices };
    },
    hasUnlimitedCpu,
    refuseResize: (pod, allocated) =>
      refuseStaticResize(pod, allocated, { configuration, features }),
    podUids: () => [
      ...new Set([
        ...manager.allocated.podUids(),
        ...cpus.exclusive.keys(),
        ...memory.allocated.keys(),
      ]),
    ],
    async release(podUid) {
      admission.forget(podUid);
      await manager.release(podUid);
      await cpus.release(podUid);
      await memory.manager?.release(podUid);
    },
    async serve() {
      cpus.start();
      await devices.serve();
      server = await servePodResources({
        ...{ folder: join(rootDir, "pod-resources"), clock },
        metrics: createPodResourcesMetrics(metrics),
        ...{ pods: options.pods, pod: options.pod },
        devicesOf: (podUid, container) => allocatedDevices(manager.allocated.of(podUid, container)),
        devices: () => healthyDevices(registry),
        claimsOf: (pod, container) => claims?.of(pod, container) ?? [],
        cpusOf: (podUid, container) => cpus.exclusive.get(podUid)?.get(container) ?? [],
        cpus: cpus.allocatable,
        memoryOf: (podUid, container) => memory.allocated.get(podUid)?.get(container) ?? [],
        memory: memory.allocatable,
      });
    },
    async close() {
      await server?.close();
      cpus.close();
      await devices.close();
    },
  };
}

/** The containers that run since before this kubelet. */
async function runningContainers({
  runtime,
  log,
}: NodeResourcesOptions): Promise<ReadonlySet<string>> {
  const containers = await runtime.listContainers({ state: "running" }).catch((error: unknown) => {
    log.warn("listing the containers of before failed", { error });
    return [];
  });
  return new Set(containers.map(({ podUid, metadata }) => `${podUid}/${metadata.name}`));
}

/** A node that has at least these amounts. */
function withAtLeast(node: Node, amounts: ReadonlyMap<string, number>): Node {
  const allocatable: Record<string, string> = { ...node.status.allocatable };
  for (const [name, amount] of amounts)
    if (amountOf(name, allocatable[name]) < amount) allocatable[name] = String(amount);
  return { ...node, status: { ...node.status, allocatable } } as Node;
}
