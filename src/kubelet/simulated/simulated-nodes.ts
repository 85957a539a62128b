import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { isPodReady } from "../../api/core/v1/pod/pod-state.ts";
import type { Clock } from "../../base/clock.ts";
import type { Network } from "../../base/network.ts";
import { aborted } from "../../base/on-abort.ts";
import type { ServeStreams } from "../../base/stream-connection.ts";
import type { Client } from "../../client/client.ts";
import type { Informer } from "../../client/informer/informer-options.ts";
import type {
  Runnable,
  RunnableContext,
} from "../../controller-runtime/manager/manager-options.ts";
import { controllerOf } from "../../controller-runtime/objects/owner-references.ts";
import { SimulatedImages } from "../../cri/simulated/simulated-images.ts";
import { SimulatedRuntime } from "../../cri/simulated/simulated-runtime.ts";
import { type KubeletApiOptions, kubeletApi, type PodKey } from "../api/kubelet-api.ts";
import { kubeletNetwork } from "../api/kubelet-network.ts";
import { type KubeletHandler, textResponse } from "../api/kubelet-request.ts";
import { createKubelet, type Kubelet } from "../kubelet.ts";
import { createEventMemory } from "../kubelet-events.ts";
import { createHeartbeats } from "../node/heartbeats.ts";
import { referenceReader } from "../pod/reference-reader.ts";
import { sharePods } from "../pod-source.ts";
import { simulatedHooks } from "./simulated-hooks.ts";
import { type SimulatedNodeOptions, simulatedNodeConfigs } from "./simulated-node-config.ts";
import { simulatedPodHost } from "./simulated-pod-host.ts";
import { simulatedProber } from "./simulated-prober.ts";
import { restoreSimulated } from "./simulated-restore.ts";

export interface SimulatedNodesOptions extends SimulatedNodeOptions {
  /** A client that calls as a node: `system:node:NAME` of `system:nodes`. */
  readonly clientFor: (nodeName: string) => Client;
  /** Wraps the runtime and images of a kubelet; absent for none. */
  readonly around?: (<S extends object>(service: S, nodeName: string) => S) | undefined;
  /** Begins the server's side of SPDY; without it, the kubelets serve WebSockets only. */
  readonly serveStreams?: ServeStreams | undefined;
}

/** Nodes without machines: kubelets that run simulated containers, all in one process. */
export interface SimulatedNodes extends Runnable {
  /** The running kubelets by node name. */
  readonly kubelets: ReadonlyMap<string, Kubelet>;
  /** The API of all kubelets; the pod or the host of a request selects one. */
  readonly api: KubeletHandler;
  /** A network that reaches each kubelet at its node's address; only for the API server. */
  network(beyond?: Network): Network;
}

/** Creates simulated nodes for a manager to run. */
export function createSimulatedNodes(options: SimulatedNodesOptions): SimulatedNodes {
  const { serveStreams } = options;
  const kubelets = new Map<string, Kubelet>();
  const configs = simulatedNodeConfigs(options);
  const byAddress = new Map(configs.map(({ address, name }) => [address, name]));
  const addresses = new Map(configs.map(({ address, name }) => [name, address]));
  let running: Running | undefined;
  const apiFor =
    (kubeletFor: KubeletApiOptions["kubeletFor"]): KubeletHandler =>
    async (request) =>
      running
        ? kubeletApi({ kubeletFor, clock: running.clock, serveStreams })(request)
        : textResponse(503, "the nodes do not run");
  const named = (host: string): Kubelet | undefined =>
    kubelets.get(host) ?? kubelets.get(byAddress.get(host) ?? "");
  return {
    name: "simulated-nodes",
    stage: "always",
    kubelets,
    api: apiFor(({ headers }, pod) => {
      if (pod) return kubelets.get(running?.nodeOf(pod) ?? "");
      const found = named((headers.host ?? "").replace(/:\d+$/, ""));
      return found ?? (kubelets.size === 1 ? [...kubelets.values()][0] : undefined);
    }),
    network: (beyond) =>
      kubeletNetwork({
        handlerAt({ host }) {
          const kubelet = named(host);
          return kubelet && apiFor(() => kubelet);
        },
        addressOf: (host) => addresses.get(host) ?? (byAddress.has(host) ? host : undefined),
        beyond,
      }),
    async run(signal, ctx) {
      running = await start(options, ctx, kubelets);
      await Promise.all([...kubelets.values()].map((kubelet) => kubelet.start(signal))).catch(
        (error: unknown) => {
          if (!signal.aborted) throw error;
        },
      );
      await aborted(signal);
      for (const kubelet of kubelets.values()) await kubelet.stop();
      kubelets.clear();
      running.close();
      running = undefined;
    },
  };
}

/** State that the running nodes of a process share. */
interface Running {
  readonly clock: Clock;
  /** The node of a pod. */
  nodeOf(pod: PodKey): string | undefined;
  close(): void;
}

async function start(
  options: SimulatedNodesOptions,
  { informers, clock, random, log }: RunnableContext,
  kubelets: Map<string, Kubelet>,
): Promise<Running> {
  const pods = informers.of(Pod);
  const nodes = informers.of(Node);
  await Promise.all([pods.synced(), nodes.synced()]);
  const shared = sharePods(pods);
  const heartbeats = createHeartbeats({ clock, log });
  const eventMemory = createEventMemory(clock, random);
  const { around = (service) => service } = options;
  const runtimes: SimulatedRuntime[] = [];
  for (const config of simulatedNodeConfigs(options)) {
    const { name, podCidr: range = "" } = config;
    const known = nodes.get({ name })?.spec.podCIDR ?? range;
    const runtime = new SimulatedRuntime({
      clock,
      random,
      podCidr: known,
      sharers: (pod) => readySiblings(pods, pod),
    });
    const images = new SimulatedImages(clock);
    runtimes.push(runtime);
    const client = options.clientFor(name);
    const references = referenceReader(client);
    const kubelet = await createKubelet({
      config,
      client,
      references,
      host: simulatedPodHost(references),
      pods: shared.of(name),
      node: () => nodes.get({ name }),
      runtime: around(runtime, name),
      images: around(images, name),
      prober: simulatedProber(runtime, clock),
      hooks: simulatedHooks(runtime, clock),
      heartbeats,
      eventMemory,
      clock,
      log,
      restore: (pod) => restoreSimulated(pod, { runtime, images }),
    });
    kubelets.set(name, kubelet);
  }
  return {
    clock,
    nodeOf: (pod) => pods.get(pod)?.spec.nodeName,
    close(): void {
      heartbeats.close();
      shared.close();
      for (const runtime of runtimes) runtime.close();
      pods.close();
      nodes.close();
    },
  };
}

/** How many pods are ready that have the same controller as a pod, which is one of them. */
function readySiblings(pods: Informer<Pod>, key: PodKey): number {
  const owner = ownerOf(pods.get(key));
  if (owner === undefined) return 1;
  const { namespace } = key;
  return pods.list({ namespace }).filter((pod) => ownerOf(pod) === owner && isPodReady(pod)).length;
}

const ownerOf = (pod: Pod | undefined): string | undefined => pod && controllerOf(pod)?.uid;
