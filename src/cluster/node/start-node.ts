import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { Service } from "../../api/core/v1/service/service.ts";
import type { Log } from "../../base/log.ts";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import { createClient } from "../../client/client.ts";
import { createInformers } from "../../client/informer/informers.ts";
import type { ImageService } from "../../cri/image-service.ts";
import type { RuntimeService } from "../../cri/runtime-service.ts";
import { type HttpsTransportOptions, httpsTransport } from "../../kubeconfig/https-transport.ts";
import { defaultKubeletConfiguration } from "../../kubelet/config/default-kubelet-configuration.ts";
import { createPodHost } from "../../kubelet/host/create-pod-host.ts";
import { hostHooks } from "../../kubelet/host/hooks/host-hooks.ts";
import { openNodeCredentials } from "../../kubelet/host/images/open-node-credentials.ts";
import { createMachineFindings } from "../../kubelet/host/machine/machine-findings.ts";
import { lookUpPod } from "../../kubelet/host/pod-lookups.ts";
import { hostProber } from "../../kubelet/host/probes/host-prober.ts";
import {
  type LinuxConfiguration,
  readLinuxSettings,
} from "../../kubelet/host/read-linux-settings.ts";
import { openPodVolumes } from "../../kubelet/host/volumes/pod-volumes.ts";
import { createKubelet, type Kubelet } from "../../kubelet/kubelet.ts";
import { createEventMemory } from "../../kubelet/kubelet-events.ts";
import { createHeartbeats } from "../../kubelet/node/heartbeats.ts";
import type { NodeConfig } from "../../kubelet/node/node-config.ts";
import { createHookMetrics } from "../../kubelet/pod/container/hook-metrics.ts";
import { createProbeMetrics } from "../../kubelet/pod/probes/probe-metrics.ts";
import { watchReferences } from "../../kubelet/pod/watched-references.ts";
import { sharePods } from "../../kubelet/pod-source.ts";
import type { KeyPair } from "../../platform/pki/pki.ts";
import { realClock } from "../../platform/real-clock.ts";
import { systemRandom } from "../../platform/system-entropy.ts";
import { type KubeletServing, kubeletServing } from "./api/kubelet-serving.ts";
import { openNodeApi } from "./api/open-node-api.ts";

export interface NodeOptions {
  readonly config: NodeConfig;
  readonly linux: LinuxConfiguration;
  readonly maxPods: number;
  readonly podsPerCore: number;
  /** How the node calls the API server, as `system:node:NAME`. */
  readonly connection: HttpsTransportOptions;
  readonly serving: KeyPair;
  /** How the kubelet serves its API; by default only to callers that the API server allows. */
  readonly api?: KubeletServing | undefined;
  /** The kubelet's configuration and the values of its flags, which its API shows. */
  readonly configuration?: object | undefined;
  readonly flags?: Readonly<Record<string, string>> | undefined;
  /** The authority of the kubelet's clients; PEM. */
  readonly clientCa: string;
  /** The root directory of the kubelet. */
  readonly rootDir: string;
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  readonly log: Log;
}

/** The agent of a machine, while it runs. */
export interface RunningNode {
  readonly kubelet: Kubelet;
  /** Stops the agent; containers run on. */
  close(): Promise<void>;
}

/** Starts the agent of a machine: it registers the node, and runs the pods bound to it. */
export async function startNode(options: NodeOptions): Promise<RunningNode> {
  const { connection, runtime, images, rootDir, log } = options;
  const { name, address } = options.config;
  const clock = realClock;
  const random = systemRandom;
  const transport = httpsTransport(connection);
  const client = createClient(transport, { clock, fieldManager: "kubelet", omitEmpty: true });
  const informers = createInformers({ client, clock, random, log });
  const pods = informers.of(Pod, { fieldSelector: `spec.nodeName=${name}` });
  const nodes = informers.of(Node, { fieldSelector: `metadata.name=${name}` });
  const services = informers.of(Service);
  const node = (): Node | undefined => nodes.get({ name });
  const shared = sharePods(pods);
  const heartbeats = createHeartbeats({ clock, log });
  const [metrics, probeMetrics] = [new MetricsRegistry(), new MetricsRegistry()];
  const probing = { startedAt: clock.now(), random, metrics: createProbeMetrics(probeMetrics) };
  let running: Kubelet | undefined;
  const changed = (podUid: string): void => running?.wake(podUid);
  const references = watchReferences({ client, clock, random, log, changed });
  const volumes = await openPodVolumes({
    ...{ rootDir, client, references, node, clock, random, log, changed },
    record: (pod, event) => running?.events.pod(pod, event),
  });
  const server = await openNodeApi({
    ...{ nodeName: name, client, clock, log, rootDir, random, metrics, probeMetrics },
    ...{ clientCa: options.clientCa, serving: options.api ?? defaultApi(options.config) },
    ...{ pair: () => options.serving, kubelet: () => running },
    ...{ configuration: options.configuration, flags: options.flags },
  });
  // The port may be any that was free.
  const config = { ...options.config, port: server.port };
  const kubelet = await createKubelet({
    ...{
      config,
      client,
      runtime,
      images,
      heartbeats,
      clock,
      log,
      node,
      references,
      services,
      random,
    },
    pods: shared.of(name),
    findings: createMachineFindings({
      ...{ runtime, clock, log, rootDir, node, nodeName: name, nodeIPs: [address] },
      ...{ maxPods: options.maxPods, podsPerCore: options.podsPerCore },
    }),
    credentials: await openNodeCredentials({ rootDir, clock, log }),
    host: createPodHost({
      ...{ rootDir, volumes, node },
      settings: await readLinuxSettings({
        ...{ configuration: options.linux, rootDir, nodeIPs: () => [address] },
      }),
      events: () => running?.events,
      lookups: (pod) => lookUpPod(pod, client),
    }),
    prober: hostProber(runtime),
    probing,
    hooks: hostHooks({ runtime, clock, metrics: createHookMetrics(metrics) }),
    eventMemory: createEventMemory(clock, random),
  });
  running = kubelet;
  const stop = new AbortController();
  await Promise.all([pods.synced(), nodes.synced(), services.synced()]);
  await kubelet.start(stop.signal);
  return {
    kubelet,
    async close() {
      stop.abort();
      await server.close();
      await kubelet.stop();
      await volumes.close();
      references.close();
      heartbeats.close();
      shared.close();
      informers.close();
      transport.close();
    },
  };
}

/** Without a configuration, the API is served at one port as that of a default one. */
const defaultApi = ({ address, port }: NodeConfig): KubeletServing => ({
  ...kubeletServing(defaultKubeletConfiguration(() => ({ on: new Set(), problems: [] }))),
  ...{ address, port, healthz: { address, port: 0 } },
});
