import { onTestFinished } from "vitest";
import { Event } from "../../api/core/v1/event/event.ts";
import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { abortReason } from "../../base/abort-reason.ts";
import { noLog } from "../../base/log.ts";
import { createClient } from "../../client/client.ts";
import { createInformers } from "../../client/informer/informers.ts";
import { SimulatedImages } from "../../cri/simulated/simulated-images.ts";
import { SimulatedRuntime } from "../../cri/simulated/simulated-runtime.ts";
import type { Cluster } from "../../testing/cluster.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import { createKubelet, type Kubelet } from "../kubelet.ts";
import { createEventMemory } from "../kubelet-events.ts";
import { createHeartbeats } from "../node/heartbeats.ts";
import { referenceReader } from "../pod/reference-reader.ts";
import { sharePods } from "../pod-source.ts";
import { simulatedHooks } from "../simulated/simulated-hooks.ts";
import { simulatedNodeConfigs } from "../simulated/simulated-node-config.ts";
import { simulatedPodHost } from "../simulated/simulated-pod-host.ts";
import { simulatedProber } from "../simulated/simulated-prober.ts";
import { createPodSets } from "./pod-sets.ts";
import { readStaticPod } from "./read-static-pods.ts";

/** A cluster on a virtual clock with one node, whose runtime survives restarts of its kubelet. */
export interface StaticNode extends Cluster {
  readonly runtime: SimulatedRuntime;
  kubelet(): Kubelet;
  /** Replaces the files of static pods. */
  write(...pods: readonly StaticManifest[]): Promise<void>;
  /** Starts a kubelet; one that runs is stopped first. It reads no file before `write`. */
  restart(): Promise<void>;
  /** Disconnects the kubelet from the API server, until the result is called. */
  disconnect(): () => void;
  mirror(name?: string): Promise<Pod>;
  /** The running containers: `POD_UID/CONTAINER_ID`. */
  running(): Promise<readonly string[]>;
  eventsOf(name: string): Promise<readonly string[]>;
}

/** The parts of a static pod that tests set. */
export interface StaticManifest {
  /** `web` by default. */
  readonly name?: string;
  readonly uid?: string;
  readonly image?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: object;
  readonly container?: object;
}

/** Starts such a cluster until the test ends. Without `connected` the kubelet has no API server. */
export async function startStaticNode({ connected = true } = {}): Promise<StaticNode> {
  const cluster = await startCluster({ clock: "virtual", namespace: "default" });
  const { clock, random } = cluster;
  const runtime = new SimulatedRuntime({ clock, random, podCidr: "10.244.0.0/24" });
  const images = new SimulatedImages(clock);
  const begin = async () => {
    const client = createClient(cluster.faults.transport("kubelet"), { clock });
    const informers = createInformers({ client, clock, random, log: noLog });
    const nodes = informers.of(Node);
    const shared = sharePods(informers.of(Pod, { fieldSelector: "spec.nodeName=node-1" }));
    const heartbeats = createHeartbeats({ clock, log: noLog });
    const files = createPodSets({
      ...{ origin: "file", clock, log: noLog },
      record: (pod, event) => kubelet.events.pod(pod, event),
    });
    const references = referenceReader(client);
    const kubelet: Kubelet = await createKubelet({
      config: { ...simulatedNodeConfigs({ nodes: 1 })[0] } as never,
      ...(connected && { client, pods: shared.of("node-1") }),
      staticPods: [files],
      node: () => nodes.get({ name: "node-1" }),
      ...{ runtime, images, references, heartbeats, clock, log: noLog },
      host: simulatedPodHost(references),
      prober: simulatedProber(runtime, clock),
      hooks: simulatedHooks(runtime, clock),
      eventMemory: createEventMemory(clock, random),
    });
    const stop = new AbortController();
    const started = kubelet.start(stop.signal).catch(() => {});
    await cluster.settled();
    return {
      ...{ kubelet, files },
      async end() {
        stop.abort(abortReason);
        await started;
        await kubelet.stop();
        heartbeats.close();
        shared.close();
        informers.close();
      },
    };
  };
  let now = await begin();
  onTestFinished(async () => {
    await now.end();
    await cluster.close();
  });
  return {
    ...cluster,
    runtime,
    kubelet: () => now.kubelet,
    async write(...pods) {
      now.files.set(pods.map(manifest));
      await cluster.settled();
    },
    async restart() {
      await now.end();
      now = await begin();
    },
    disconnect: () => cluster.faults.partition("kubelet"),
    mirror: (name = "web") => cluster.client.get(Pod, { name: `${name}-node-1` }),
    async running() {
      const containers = await runtime.listContainers({ state: "running" });
      return containers.map(({ podUid, id }) => `${podUid}/${id}`);
    },
    async eventsOf(name) {
      const { items } = await cluster.client.list(Event);
      return items
        .filter(({ involvedObject }) => involvedObject?.name === name)
        .map(({ reason, message }) => `${reason}: ${message}`);
    },
  };
}

function manifest({ name = "web", uid, image = "nginx", ...given }: StaticManifest): Pod {
  const { annotations = {}, spec = {}, container = {} } = given;
  const text = JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, uid, annotations },
    spec: { containers: [{ name: "web", image, ...container }], ...spec },
  });
  const location = `/etc/kubernetes/manifests/${name}.yaml`;
  return readStaticPod(text, { origin: "file", location, nodeName: "node-1" });
}
