import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Container } from "../../../api/core/v1/container/container.ts";
import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { Clock } from "../../../base/clock.ts";
import { TokenBucket } from "../../../base/queue/token-bucket.ts";
import { GrpcError, grpcCodes } from "../../../platform/grpc/grpc-error.ts";
import { type GrpcHandler, unaryHandler } from "../../../platform/grpc/grpc-server.ts";
import { serveGrpcSocket } from "../../../platform/grpc/serve-grpc-socket.ts";
import type { NodeClaim } from "../../claims/node-claim.ts";
import type { ListedDevice } from "../../devices/listed-devices.ts";
import type { MemoryBlock } from "../../memory/memory-state.ts";
import { isSidecar } from "../../pod/container/restart-policy.ts";
import type { PodResourcesMetrics } from "./pod-resources-metrics.ts";
import { podResourcesMethods } from "./pod-resources-service.ts";

export interface PodResourcesSources {
  readonly metrics: PodResourcesMetrics;
  readonly pods: () => readonly Pod[];
  readonly pod: (namespace: string, name: string) => Pod | undefined;
  /** The devices that a container has. */
  readonly devicesOf: (podUid: string, container: string) => readonly ListedDevice[];
  /** The prepared claims of a container. */
  readonly claimsOf: (pod: Pod, container: Container) => readonly NodeClaim[];
  /** All healthy devices. */
  readonly devices: () => readonly ListedDevice[];
  /** The CPUs that a container has for itself, and those that containers can have. */
  readonly cpusOf: (podUid: string, container: string) => Iterable<number>;
  readonly cpus: Iterable<number>;
  /** The memory of NUMA nodes that a container has, and that containers can have. */
  readonly memoryOf: (podUid: string, container: string) => readonly MemoryBlock[];
  readonly memory: readonly MemoryBlock[];
}

export interface PodResourcesOptions extends PodResourcesSources {
  /** The folder of the socket. */
  readonly folder: string;
  readonly clock: Clock;
}

/** Tells others on the node what its pods have, at most a hundred times a second. */
export async function servePodResources(
  options: PodResourcesOptions,
): Promise<{ close(): Promise<void> }> {
  const { folder, clock } = options;
  await mkdir(folder, { recursive: true, mode: 0o750 });
  const budget = new TokenBucket({ clock, rate: 100, burst: 10 });
  const handlers = podResourcesHandlers(options).map(
    (handler): GrpcHandler => ({
      ...handler,
      async answer(messages, reply) {
        if (!budget.tryTake())
          throw new GrpcError(grpcCodes.resourceExhausted, "rejected by rate limit");
        await handler.answer(messages, reply);
      },
    }),
  );
  return serveGrpcSocket(join(folder, "kubelet.sock"), handlers);
}

const podResourcesHandlers = (sources: PodResourcesSources): readonly GrpcHandler[] => [
  unaryHandler(podResourcesMethods.list, async () => {
    sources.metrics.requested("List");
    return { pod_resources: sources.pods().map((pod) => resourcesOf(pod, sources)) };
  }),
  unaryHandler(podResourcesMethods.getAllocatable, async () => {
    sources.metrics.requested("GetAllocatableResources");
    return {
      devices: sources.devices().map(deviceMessage),
      cpu_ids: ascending(sources.cpus),
      memory: sources.memory.map(memoryMessage),
    };
  }),
  unaryHandler(podResourcesMethods.get, async ({ pod_name: name, pod_namespace: namespace }) => {
    const counted = sources.metrics.requested("Get");
    const pod = sources.pod(namespace, name);
    if (!pod) {
      counted.failed();
      throw new Error(`pod ${name} in namespace ${namespace} not found`);
    }
    return { pod_resources: resourcesOf(pod, sources) };
  }),
];

/** Init containers that end do not count. */
function resourcesOf(pod: Pod, { devicesOf, claimsOf, cpusOf, memoryOf }: PodResourcesSources) {
  const { metadata, spec } = pod;
  const { name = "", namespace = "", uid = "" } = metadata;
  const sidecars = (spec.initContainers ?? []).filter(isSidecar);
  const containers = [...sidecars, ...(spec.containers ?? [])].map((one: Container) => ({
    name: one.name,
    devices: devicesOf(uid, one.name).map(deviceMessage),
    dynamic_resources: claimsOf(pod, one).map(claimMessage),
    cpu_ids: ascending(cpusOf(uid, one.name)),
    memory: memoryOf(uid, one.name).map(memoryMessage),
  }));
  return { name, namespace, containers };
}

const deviceMessage = ({ resource, id, numaNode }: ListedDevice) => ({
  resource_name: resource,
  device_ids: [id],
  ...(numaNode !== undefined && { topology: { nodes: [{ ID: numaNode }] } }),
});

const claimMessage = ({ name, namespace, drivers }: NodeClaim) => ({
  claim_name: name,
  claim_namespace: namespace,
  claim_resources: [...drivers].flatMap(([driver, devices]) =>
    devices.map(({ pool, device, shareId, cdiDevices }) => ({
      cdi_devices: cdiDevices.map((cdi) => ({ name: cdi })),
      driver_name: driver,
      pool_name: pool,
      device_name: device,
      share_id: shareId,
    })),
  ),
});

const memoryMessage = ({ nodes, type, bytes }: MemoryBlock) => ({
  ...{ memory_type: type, size: BigInt(bytes) },
  topology: { nodes: nodes.map((ID) => ({ ID })) },
});

const ascending = (numbers: Iterable<number>): number[] => [...numbers].sort((a, b) => a - b);
