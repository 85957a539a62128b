import { Event } from "../api/core/v1/event/event.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { createManager } from "../controller-runtime/manager/manager.ts";
import type { Cluster } from "../testing/cluster.ts";
import { startCluster } from "../testing/start-cluster.ts";
import {
  createSimulatedNodes,
  type SimulatedNodes,
  type SimulatedNodesOptions,
} from "./simulated/simulated-nodes.ts";

/** A cluster on a virtual clock with simulated nodes. */
export interface NodesCluster extends Omit<Cluster, "run"> {
  readonly nodes: SimulatedNodes;
  /** Creates a pod on the first node. */
  run(pod: PodLike): Promise<Pod>;
  pod(name: string): Promise<Pod>;
  /** The events of an object, oldest first: `REASON: message`. */
  eventsOf(name: string): Promise<string[]>;
  /** Stops the kubelets, and starts new ones. */
  restartNodes(): Promise<void>;
  end(): Promise<void>;
}

/** The parts of a pod that tests set. */
export interface PodLike {
  readonly name: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: object;
  /** The differences from a container `web` with image `nginx`. */
  readonly container?: object;
}

/** Starts a cluster with these nodes, or a number of them. */
export async function clusterWithNodes(
  nodes: SimulatedNodesOptions["nodes"] = 1,
): Promise<NodesCluster> {
  const cluster = await startCluster({ clock: "virtual", namespace: "default" });
  return runNodes(cluster, nodes);
}

/** Runs nodes in a cluster. */
export async function runNodes(
  cluster: Cluster,
  count: SimulatedNodesOptions["nodes"] = 1,
): Promise<NodesCluster> {
  const { client } = cluster;
  const begin = async () => {
    const stop = new AbortController();
    const nodes = createSimulatedNodes({ nodes: count, clientFor: () => client });
    const manager = createManager(cluster);
    manager.add(nodes);
    const running = manager.run({ signal: stop.signal });
    await cluster.settled();
    const end = async (): Promise<void> => {
      stop.abort();
      await cluster.advance("1s");
      await running;
    };
    return { nodes, end };
  };
  let now = await begin();
  return {
    ...cluster,
    get nodes() {
      return now.nodes;
    },
    async run({ name, annotations = {}, labels = {}, spec = {}, container = {} }) {
      const pod = await client.create(Pod, {
        metadata: { name, annotations, labels },
        spec: {
          nodeName: "node-1",
          containers: [{ name: "web", image: "nginx", ...container }],
          ...spec,
        },
      } as never);
      await cluster.settled();
      return pod;
    },
    pod: (name) => client.get(Pod, { name }),
    async eventsOf(name) {
      const { items } = await client.list(Event, { namespace: "default" });
      return items
        .filter(({ involvedObject }) => involvedObject?.name === name)
        .sort((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1))
        .map(({ reason, message }) => `${reason}: ${message}`);
    },
    async restartNodes() {
      await now.end();
      now = await begin();
    },
    async end() {
      await now.end();
      await cluster.close();
    },
  };
}
