import { Node } from "../api/core/v1/node/node.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { Event } from "../api/events/v1/event.ts";
import { MetricsRegistry } from "../base/metrics-registry.ts";
import type { Client } from "../client/client.ts";
import { createManager } from "../controller-runtime/manager/manager.ts";
import type { Cluster } from "../testing/cluster.ts";
import { type ClusterOptions, startCluster } from "../testing/start-cluster.ts";
import { createScheduler, type SchedulerOptions } from "./scheduler.ts";

type PodInput = NonNullable<(typeof Pod)["$input"]>;
type NodeInput = NonNullable<(typeof Node)["$input"]>;

/** A cluster on a virtual clock with a running scheduler. */
export interface SchedulingCluster extends Cluster {
  readonly metrics: MetricsRegistry;
  node(name: string, more?: NodeParts): Promise<Node>;
  pod(
    name: string,
    spec?: Partial<PodInput["spec"]>,
    labels?: Record<string, string>,
  ): Promise<Pod>;
  /** The node of each pod, by name. */
  placement(): Promise<Record<string, string | undefined>>;
  getPod(name: string): Promise<Pod>;
  /** The events of pods: `REASON OBJECT: NOTE`. */
  podEvents(): Promise<readonly string[]>;
  /** Stops the scheduler; another can be started. */
  stop(): Promise<void>;
  start(options?: SchedulerOptions): Promise<void>;
  end(): Promise<void>;
}

export interface NodeParts {
  readonly cpu?: string;
  readonly memory?: string;
  readonly pods?: string;
  readonly more?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: NodeInput["spec"];
  readonly images?: NonNullable<NodeInput["status"]>["images"];
}

export async function schedulingCluster(
  options: SchedulerOptions &
    Pick<ClusterOptions, "runtimeConfig"> & { readonly seed?: number } = {},
): Promise<SchedulingCluster> {
  const { seed = 1, runtimeConfig, ...scheduling } = options;
  const cluster = await startCluster({
    ...{ clock: "virtual", namespace: "default", seed, runtimeConfig },
    features: [...(scheduling.features ?? [])],
  });
  const { client } = cluster;
  let metrics = new MetricsRegistry();
  let stop = new AbortController();
  let running: Promise<void> = Promise.resolve();
  const start = async (given: SchedulerOptions = scheduling): Promise<void> => {
    stop = new AbortController();
    metrics = new MetricsRegistry();
    const manager = createManager({ ...cluster, metrics });
    manager.add(createScheduler(given));
    running = manager.run({ signal: stop.signal });
    // The error of a failed manager is thrown by `stop`.
    running.catch(() => undefined);
    await cluster.settled();
  };
  const end = async (): Promise<void> => {
    stop.abort();
    await cluster.advance("1s");
    await running;
  };
  await start();
  return {
    ...cluster,
    get metrics() {
      return metrics;
    },
    start,
    stop: end,
    async end() {
      await end();
      await cluster.close();
    },
    node: (name, parts) => addNode(client, name, parts),
    pod: (name, spec = {}, labels = {}) => client.create(Pod, podOf(name, spec, labels)),
    async placement() {
      const { items } = await client.list(Pod, {});
      return Object.fromEntries(
        items.map(({ metadata, spec }) => [metadata.name ?? "", spec.nodeName]),
      );
    },
    getPod: (name) => client.get(Pod, { name, namespace: "default" }),
    async podEvents() {
      const { items } = await client.list(Event, {});
      return items
        .map(({ reason, regarding, note }) => `${reason} ${regarding?.name}: ${note}`)
        .sort();
    },
  };
}

/** Creates a ready node, by default with 4 CPUs, 8 GB and 110 pods. */
export async function addNode(
  client: Client,
  name: string,
  { cpu = "4", memory = "8Gi", pods = "110", more, labels, spec, images }: NodeParts = {},
): Promise<Node> {
  const status = { allocatable: { cpu, memory, pods, ...more }, ...(images && { images }) };
  await client.create(Node, {
    metadata: { name, labels: { "kubernetes.io/hostname": name, ...labels } },
    ...(spec && { spec }),
  } as NodeInput);
  // New nodes have the not-ready taint and no status.
  await client.patch(Node, { name }, { merge: { spec: { taints: spec?.taints ?? null } } });
  const patch = { merge: { status } } as never;
  return client.patch(Node, { name }, patch, { subresource: "status" });
}

/** A pod, by default without requests. */
export function podOf(
  name: string,
  spec: Partial<PodInput["spec"]> = {},
  labels: Record<string, string> = {},
): PodInput {
  return {
    metadata: { name, namespace: "default", labels },
    spec: { containers: [{ name: "main", image: "example.com/main:1" }], ...spec },
  } as PodInput;
}

/** A container with requests. */
export const asking = (requests: Record<string, string>) =>
  ({
    containers: [{ name: "main", image: "example.com/main:1", resources: { requests } }],
  }) as Partial<PodInput["spec"]>;
