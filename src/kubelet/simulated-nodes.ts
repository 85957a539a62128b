import { Node } from "../api/core/v1/node.ts";
import { Pod } from "../api/core/v1/pod.ts";
import type { Taint } from "../api/core/v1/taint.ts";
import type { Client } from "../client/client.ts";
import type { Runnable, RunnableContext } from "../controller-runtime/manager.ts";
import { digestOf } from "../cri/simulated/chance.ts";
import { SimulatedImages } from "../cri/simulated/simulated-images.ts";
import { SimulatedRuntime } from "../cri/simulated/simulated-runtime.ts";
import { createKubelet, type Kubelet } from "./kubelet.ts";
import { createEventMemory } from "./kubelet-events.ts";
import { createHeartbeats } from "./node/heartbeats.ts";
import type { NodeConfig } from "./node/node-config.ts";
import { sharePods } from "./pod-source.ts";
import { simulatedHooks } from "./simulated-hooks.ts";
import { simulatedProber } from "./simulated-prober.ts";
import { restoreSimulated } from "./simulated-restore.ts";

/** What a simulated node may differ in. */
export interface SimulatedNode {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly taints?: readonly Taint[] | undefined;
  /** What differs from 4 CPUs, 16Gi of memory, 110 pods and 100Gi of disk. */
  readonly capacity?: Readonly<Record<string, string>> | undefined;
  /** What differs from an address of its own that nothing but the cluster's own network knows. */
  readonly address?: string | undefined;
}

export interface SimulatedNodesOptions {
  /** So many nodes, `node-1` and so on, or these. */
  readonly nodes: number | readonly SimulatedNode[];
  /** A client that calls as a node: `system:node:NAME` of `system:nodes`. */
  readonly clientFor: (nodeName: string) => Client;
  /** Where their kubelets listen, if not each at its own address. */
  readonly listener?: { readonly address: string; readonly port: number } | undefined;
  /** v1.36.0 if not given. */
  readonly kubeletVersion?: string | undefined;
}

/** Nodes without machines: kubelets that run simulated containers, all in one process. */
export interface SimulatedNodes extends Runnable {
  /** The kubelets that run, by the names of their nodes. */
  readonly kubelets: ReadonlyMap<string, Kubelet>;
}

/** Nodes for a manager to run. */
export function createSimulatedNodes(options: SimulatedNodesOptions): SimulatedNodes {
  const kubelets = new Map<string, Kubelet>();
  return {
    name: "simulated-nodes",
    stage: "always",
    kubelets,
    async run(signal, ctx) {
      const running = await start(options, ctx, kubelets);
      await Promise.all([...kubelets.values()].map((kubelet) => kubelet.start(signal))).catch(
        (error: unknown) => {
          if (!signal.aborted) throw error;
        },
      );
      await ended(signal);
      for (const kubelet of kubelets.values()) await kubelet.stop();
      kubelets.clear();
      running.close();
    },
  };
}

/** What nodes are, by their numbers from 0 on. */
export function simulatedNodeConfigs({
  nodes,
  listener,
  kubeletVersion = "v1.36.0",
}: Pick<SimulatedNodesOptions, "nodes" | "listener" | "kubeletVersion">): readonly NodeConfig[] {
  const list: readonly SimulatedNode[] =
    typeof nodes === "number"
      ? Array.from({ length: nodes }, (_, i) => ({ name: `node-${i + 1}` }))
      : nodes;
  return list.map(({ name, labels, taints, capacity, address }, i) => ({
    name,
    labels,
    taints,
    address: address ?? listener?.address ?? nodeAddress(i),
    port: listener?.port ?? 10250,
    capacity: { ...usualCapacity, ...capacity },
    podCidr: podCidr(i),
    info: nodeInfo(name, kubeletVersion),
  }));
}

const usualCapacity = {
  cpu: "4",
  "ephemeral-storage": "100Gi",
  memory: "16Gi",
  pods: "110",
};

/** 10.89.0.1, and so on. */
const nodeAddress = (i: number): string => `10.89.${Math.floor((i + 1) / 256)}.${(i + 1) % 256}`;

/** 10.244.0.0/24, and so on: as many as there are up to 10.255.255.0/24. */
function podCidr(i: number): string {
  const second = 244 + Math.floor(i / 256);
  if (second > 255)
    throw new RangeError("there are addresses for the pods of 3072 nodes, not more");
  return `10.${second}.${i % 256}.0/24`;
}

function nodeInfo(name: string, kubeletVersion: string): NodeConfig["info"] {
  const uuid = (what: string): string =>
    digestOf(`${name}/${what}`).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
  return {
    architecture: "amd64",
    bootID: uuid("boot"),
    containerRuntimeVersion: "wherry://simulated",
    kernelVersion: "6.12.0-simulated",
    kubeProxyVersion: "",
    kubeletVersion,
    machineID: digestOf(`${name}/machine`).slice(0, 32),
    operatingSystem: "linux",
    osImage: "Wherry simulated node",
    systemUUID: uuid("system"),
  };
}

async function start(
  options: SimulatedNodesOptions,
  { informers, clock, random, log }: RunnableContext,
  kubelets: Map<string, Kubelet>,
) {
  const pods = informers.of(Pod);
  const nodes = informers.of(Node);
  await Promise.all([pods.synced(), nodes.synced()]);
  const shared = sharePods(pods);
  const heartbeats = createHeartbeats({ clock, log });
  const eventMemory = createEventMemory(clock);
  const runtimes: SimulatedRuntime[] = [];
  for (const config of simulatedNodeConfigs(options)) {
    const { name, podCidr: range = "" } = config;
    const known = nodes.get({ name })?.spec.podCIDR ?? range;
    const runtime = new SimulatedRuntime({ clock, random, podCidr: known });
    const images = new SimulatedImages(clock);
    runtimes.push(runtime);
    const kubelet = await createKubelet({
      config,
      client: options.clientFor(name),
      pods: shared.of(name),
      node: () => nodes.get({ name }),
      runtime,
      images,
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
    close(): void {
      heartbeats.close();
      shared.close();
      for (const runtime of runtimes) runtime.close();
      pods.close();
      nodes.close();
    },
  };
}

const ended = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
