import { onTestFinished } from "vitest";
import { Node } from "../api/core/v1/node/node.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { noLog } from "../base/log.ts";
import { createInformers } from "../client/informer/informers.ts";
import { SimulatedImages } from "../cri/simulated/simulated-images.ts";
import { SimulatedRuntime } from "../cri/simulated/simulated-runtime.ts";
import { startCluster } from "../testing/start-cluster.ts";
import { createKubelet, type KubeletOptions } from "./kubelet.ts";
import { createEventMemory } from "./kubelet-events.ts";
import { createHeartbeats, type HeartbeatsOptions } from "./node/heartbeats.ts";
import type { NodeConfig } from "./node/node-config.ts";
import { referenceReader } from "./pod/reference-reader.ts";
import { sharePods } from "./pod-source.ts";
import { simulatedHooks } from "./simulated/simulated-hooks.ts";
import { simulatedNodeConfigs } from "./simulated/simulated-node-config.ts";
import { simulatedPodHost } from "./simulated/simulated-pod-host.ts";
import { simulatedProber } from "./simulated/simulated-prober.ts";

/** What is special about a kubelet. */
export interface KubeletDifferences {
  readonly kubelet?: Partial<KubeletOptions>;
  readonly node?: Partial<NodeConfig>;
  readonly heartbeats?: Partial<HeartbeatsOptions>;
  /** Changes its runtime. */
  readonly around?: (runtime: SimulatedRuntime) => SimulatedRuntime;
}

/** Starts a cluster on a virtual clock with one kubelet on a simulated runtime, until the test ends. */
export async function startKubelet(differences: KubeletDifferences = {}) {
  const cluster = await startCluster({ clock: "virtual", namespace: "default" });
  const { client, clock, random } = cluster;
  const log = noLog;
  const informers = createInformers({ client, clock, random, log });
  const [pods, nodes] = [informers.of(Pod), informers.of(Node)];
  await Promise.all([pods.synced(), nodes.synced()]);
  const [usual] = simulatedNodeConfigs({ nodes: 1 });
  if (!usual) throw new Error("no node");
  const config = { ...usual, ...differences.node };
  const { around = (one) => one } = differences;
  const simulated = new SimulatedRuntime({ clock, random, podCidr: "10.244.0.0/24" });
  const runtime = around(simulated);
  const references = referenceReader(client);
  const heartbeats = createHeartbeats({ clock, log, ...differences.heartbeats });
  const begin = async () => {
    const shared = sharePods(pods);
    onTestFinished(() => shared.close());
    const kubelet = await createKubelet({
      ...{ config, client, references, runtime, heartbeats, clock, log },
      ...{ pods: shared.of(config.name), node: () => nodes.get({ name: config.name }) },
      ...{ host: simulatedPodHost(references), images: new SimulatedImages(clock) },
      ...{ prober: simulatedProber(runtime, clock), hooks: simulatedHooks(runtime, clock) },
      eventMemory: createEventMemory(clock, random),
      ...differences.kubelet,
    });
    await kubelet.start(new AbortController().signal);
    await cluster.settled();
    return kubelet;
  };
  let kubelet = await begin();
  onTestFinished(async () => {
    await kubelet.stop();
    heartbeats.close();
    simulated.close();
    informers.close();
    await cluster.close();
  });
  return {
    ...cluster,
    nodeName: config.name,
    /** The runtime without what is around it. */
    simulated,
    async restart() {
      await kubelet.stop();
      kubelet = await begin();
    },
    /** Creates a pod with one container, and returns its UID. */
    async run(name: string, { container = {}, spec = {} }: PodDifferences = {}) {
      const containers = [{ name: "c", image: "nginx", ...container }];
      const created = await client.create(Pod, {
        metadata: { name },
        spec: { nodeName: config.name, containers, ...spec },
      } as never);
      await cluster.settled();
      return created.metadata.uid ?? "";
    },
    pod: (name: string) => client.get(Pod, { name }),
  };
}

interface PodDifferences {
  readonly container?: object;
  readonly spec?: object;
}
