import { join } from "node:path";
import { type Clock, ticksOf } from "../../base/clock.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { Log } from "../../base/log.ts";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import type { ImageService } from "../../cri/image-service.ts";
import type { RuntimeService } from "../../cri/runtime-service.ts";
import type { HttpsTransportOptions } from "../../kubeconfig/https-transport.ts";
import type { KubeletConfiguration } from "../../kubelet/config/kubelet-configuration.ts";
import { type KubeletSettings, kubeletSettings } from "../../kubelet/config/kubelet-settings.ts";
import { cpuTopology } from "../../kubelet/cpus/cpu-topology.ts";
import { withReservedCpus } from "../../kubelet/cpus/reserved-cpus.ts";
import type { ContainerPolicy } from "../../kubelet/garbage/container-garbage.ts";
import { openAllocationFiles } from "../../kubelet/host/allocation-files.ts";
import { openNodeCgroups } from "../../kubelet/host/cgroups/open-node-cgroups.ts";
import { qosReserve } from "../../kubelet/host/cgroups/qos-reserve.ts";
import { runtimeCgroupDriver } from "../../kubelet/host/cgroups/runtime-cgroup-driver.ts";
import { openClaims } from "../../kubelet/host/claims/open-claims.ts";
import { createPodHost } from "../../kubelet/host/create-pod-host.ts";
import { hostHooks } from "../../kubelet/host/hooks/host-hooks.ts";
import {
  type NodeCredentialsOptions,
  openNodeCredentials,
} from "../../kubelet/host/images/open-node-credentials.ts";
import { openNodeImages } from "../../kubelet/host/images/open-node-images.ts";
import { linuxConfiguration } from "../../kubelet/host/linux-configuration.ts";
import { createMachineFindings } from "../../kubelet/host/machine/machine-findings.ts";
import { openPluginWatcher } from "../../kubelet/host/plugins/plugin-watcher.ts";
import { lookUpPod } from "../../kubelet/host/pod-lookups.ts";
import { hostProber } from "../../kubelet/host/probes/host-prober.ts";
import { readLinuxSettings } from "../../kubelet/host/read-linux-settings.ts";
import { openNodeResources } from "../../kubelet/host/resources/open-node-resources.ts";
import { readMachineTopology } from "../../kubelet/host/resources/read-machine-topology.ts";
import {
  openStaticPods,
  staticPodConfiguration,
} from "../../kubelet/host/static-pods/open-static-pods.ts";
import { openUserNamespaces } from "../../kubelet/host/users/open-user-namespaces.ts";
import {
  noPodCertificates,
  type PodCertificates,
  type PodCertificatesOptions,
  podCertificates,
} from "../../kubelet/host/volumes/content/pod-certificates.ts";
import { serviceAccountTokens } from "../../kubelet/host/volumes/content/service-account-tokens.ts";
import { openCsi } from "../../kubelet/host/volumes/csi/open-csi.ts";
import { LocalData } from "../../kubelet/host/volumes/local-data.ts";
import { openPodVolumes, type PodVolumesOptions } from "../../kubelet/host/volumes/pod-volumes.ts";
import { volumeFolders } from "../../kubelet/host/volumes/volume-folders.ts";
import { createPullQueue, pullLimits } from "../../kubelet/images/pull-queue.ts";
import { createKubelet, type Kubelet } from "../../kubelet/kubelet.ts";
import { createEventMemory, type KubeletEvent } from "../../kubelet/kubelet-events.ts";
import { countedImages, countedRuntime } from "../../kubelet/metrics/counted-runtime.ts";
import { createWorkerMetrics } from "../../kubelet/metrics/worker-metrics.ts";
import { createHeartbeats } from "../../kubelet/node/heartbeats.ts";
import type { CloudProvider, NodeConfig } from "../../kubelet/node/node-config.ts";
import type { NodeFindings } from "../../kubelet/node/node-findings.ts";
import { createRuntimeHealth } from "../../kubelet/node/runtime-health.ts";
import { createHookMetrics } from "../../kubelet/pod/container/hook-metrics.ts";
import { resolvConfProblem } from "../../kubelet/pod/linux/resolv-conf.ts";
import { createProbeMetrics } from "../../kubelet/pod/probes/probe-metrics.ts";
import { realClock } from "../../platform/real-clock.ts";
import { systemRandom } from "../../platform/system-entropy.ts";
import { addQuantities, formatQuantity, parseQuantity } from "../../schema/values/quantity.ts";
import { checkGates } from "../flags/check-feature-gates.ts";
import { kubernetesVersion } from "../version.ts";
import { openNodeApi } from "./api/open-node-api.ts";
import { connectNode, standaloneNode } from "./connect-node.ts";
import type { NetworkPartName } from "./network-part-names.ts";
import { openNodeNetwork, podStarter } from "./node-network.ts";
import type { NodeRuntime } from "./node-runtime.ts";
import { openNodeServing } from "./node-serving.ts";
import type { NodeTracer } from "./node-tracer.ts";
import { openNodeUpkeep } from "./node-upkeep.ts";

export interface NodeOptions {
  readonly name: string;
  /** The addresses of the node, the preferred one first. */
  readonly nodeIPs: readonly string[];
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** If a cloud provider initializes the node. */
  readonly cloudProvider?: CloudProvider | undefined;
  /** The cgroup of the container runtime, of which the node's usage tells; empty if it is unknown. */
  readonly runtimeCgroup?: string | undefined;
  /** Replaces what is found of the machine, such as its ID. */
  readonly machineInfo?: NodeFindings["info"];
  /** How many ended containers are kept. */
  readonly containerPolicy?: ContainerPolicy | undefined;
  /** Whether pods may use what hard eviction thresholds keep free. */
  readonly allocatableIgnoresEviction?: boolean | undefined;
  /** The range of the pods' addresses, if the node chooses it. */
  readonly podCidr?: string | undefined;
  readonly configuration: KubeletConfiguration;
  /** Plugins that have credentials of registries. */
  readonly credentialProviders?: NodeCredentialsOptions["providers"];
  /** How the node calls the API server, as `system:node:NAME`. Without it the node runs static pods only. */
  readonly connection?: HttpsTransportOptions | undefined;
  /** The directory of certificates that the kubelet makes or requests. */
  readonly certDir: string;
  /** The values of the agent's flags, which its API shows. */
  readonly flags?: Readonly<Record<string, string>> | undefined;
  /** CA certificates of clients beside those in the file of the configuration; PEM. */
  readonly clientCa?: string | undefined;
  /** The root directory of the kubelet. */
  readonly rootDir: string;
  /** Where parts of the network record what they have changed of the machine. */
  readonly dataDir?: string | undefined;
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  /** Calls back when the network of pods may have changed. */
  readonly followNetwork?: NodeRuntime["followNetwork"];
  /** The parts of the cluster's network that the node provides. */
  readonly network?: readonly NetworkPartName[] | undefined;
  /** If others route to the pods of this node: the ranges of addresses of such nodes. */
  readonly routedNodes?: readonly string[] | undefined;
  /** Where metrics of the kubelet are registered; a registry of its own if not given. */
  readonly metrics?: MetricsRegistry | undefined;
  /** Sets the verbosity of the log; it stays if this is not given. */
  readonly setVerbosity?: ((verbosity: number) => void) | undefined;
  /** Makes spans of requests and of the steps of pods; there are no traces if not given. */
  readonly tracer?: NodeTracer | undefined;
  /** By default the machine's. */
  readonly clock?: Clock | undefined;
  readonly log: Log;
}

/** The agent of a machine, while it runs. */
export interface RunningNode {
  readonly kubelet: Kubelet;
  /** The port of its API. */
  readonly port: number;
  /** Resolves when the node is registered. Static pods run before that. */
  readonly started: Promise<void>;
  /** Stops the agent; containers run on. */
  close(): Promise<void>;
}

/**
 * Starts the agent of a machine: it registers the node, and runs its static pods and the pods bound to it. It also
 * starts while the API server does not respond.
 */
export async function startNode(given: NodeOptions): Promise<RunningNode> {
  const { clock = realClock, metrics = new MetricsRegistry() } = given;
  const counting = { metrics, ticks: ticksOf(clock) };
  const runtime = countedRuntime(given.runtime, counting);
  const cgroupDriver = await runtimeCgroupDriver({ runtime, clock, log: given.log, metrics });
  const topology = await readMachineTopology();
  const configuration = withReservedCpus(
    { ...given.configuration, ...(cgroupDriver && { cgroupDriver }) },
    cpuTopology(topology),
  );
  const options = { ...given, configuration };
  const { connection, rootDir, log, name } = options;
  const { on: features } = checkGates(new Map(Object.entries(configuration.featureGates ?? {})));
  const random = systemRandom;
  const probeMetrics = new MetricsRegistry();
  const images = countedImages(options.images, counting);
  const configured = kubeletSettings(configuration, features);
  const heartbeats = createHeartbeats({ clock, log, random, ...configured.heartbeats });
  const probing = { startedAt: clock.now(), random, metrics: createProbeMetrics(probeMetrics) };
  let running: Kubelet | undefined;
  const changed = (podUid: string): void => running?.wake(podUid);
  const connecting = {
    ...{ nodeName: name, clock, random, log, changed, metrics },
    ...{ limits: configured.limits, strategy: configured.references },
    heartbeatMs: configured.heartbeatMs,
  };
  const api = connection ? connectNode(connection, connecting) : standaloneNode(connecting);
  const { client, references, node, informers } = api;
  const recordOfPod: PodVolumesOptions["record"] = (pod, event) => running?.events.pod(pod, event);
  const csi =
    informers &&
    (await openCsi({
      ...{ nodeName: name, rootDir, client, informers, metrics, clock, random, log },
      recordClaim: (claim, event) => running?.events.claim(claim, event),
      ...{ record: recordOfPod, changed, inUseChanged: () => void running?.refreshNode() },
    }));
  const localData =
    informers &&
    new LocalData({
      ...{ nodeName: name, client, informers, clock, log },
      pods: volumeFolders(rootDir).pods,
    });
  const tokens = serviceAccountTokens({ client, clock, random, log });
  const certificates = openPodCertificates(Boolean(informers), features, {
    ...{ client, node, clock, random, log, metrics, changed, record: recordOfPod },
  });
  const volumes = await openPodVolumes({
    ...{ rootDir, client, references, node, clock, random, log, changed, tokens },
    ...{ certificates, record: recordOfPod, plugins: csi && [csi.plugin] },
    prepareLocal: localData && ((volume) => localData.prepare(volume)),
  });
  const isActive = (podUid: string): boolean => running?.isActive(podUid) ?? true;
  const claims =
    informers &&
    (await openClaims({
      ...{ rootDir, client, node, clock, random, log, metrics, changed },
      // Containers of a pod that was removed may still be ending.
      isActive: async (podUid) =>
        isActive(podUid) || (await runtime.listContainers({ podUid, state: "running" })).length > 0,
    }));
  const resources = await openNodeResources({
    ...{ configuration, features, topology, rootDir, runtime, clock, log, metrics },
    ...{ isActive, changed, claims },
    pods: () => running?.activePods() ?? [],
    pod: (namespace, podName) => running?.pod(namespace, podName),
  });
  const plugins = await openPluginWatcher({
    folder: join(rootDir, "plugins_registry"),
    handlers: {
      ...resources.handlers,
      ...(csi && { CSIPlugin: csi.handler }),
      ...(claims && { DRAPlugin: claims.handler }),
    },
    ...{ clock, log },
  });
  const linux = linuxConfiguration(configuration, features);
  const settings = await readLinuxSettings({
    ...{ configuration: linux, rootDir, nodeIPs: () => options.nodeIPs },
  });
  const cgroups = await openNodeCgroups(settings(), {
    podPidsLimit: linux.podPidsLimit,
    hasUnlimitedCpu: resources.hasUnlimitedCpu,
    qosReserve: qosReserve(configuration, { features, bytes: linux.reservedMemoryBytes }),
    ...counting,
  });
  const serving = await openNodeServing({
    ...{ nodeName: name, configuration, certDir: options.certDir, api },
    ...{ metrics, clock, random, log },
  });
  const server = await openNodeApi({
    ...{ nodeName: name, client, clock, log, rootDir, random, metrics, probeMetrics },
    ...{ clientCa: options.clientCa, pair: serving.pair, kubelet: () => running },
    ...{ configuration, flags: options.flags, images, volumeUsage: volumes.usage },
    ...{ features, setVerbosity: options.setVerbosity, tracer: options.tracer },
    runtimeCgroup: options.runtimeCgroup,
    isStandalone: !connection,
  });
  serving.renews(server);
  const imageAccess = await openNodeImages({
    ...{ configuration, features, rootDir, images, clock, log, metrics },
  });
  const userNamespaces = await openUserNamespaces({
    ...{ rootDir, random, maxPods: configuration.maxPods ?? 110 },
    idsPerPod: Number(configuration.userNamespaces?.idsPerPod ?? 0),
  });
  const upkeep = await openNodeUpkeep({
    ...{ configuration, rootDir, runtime, images, clock, log, metrics, imageAccess },
    volumeUsage: volumes.usage,
    containerPolicy: options.containerPolicy,
    allocatableIgnoresEviction: options.allocatableIgnoresEviction,
  });
  const staticPods = openStaticPods({
    ...{ configuration: staticPodConfiguration(configuration), nodeName: name, clock, log },
    record: (pod, event) => running?.events.pod(pod, event),
  });
  const network =
    informers &&
    openNodeNetwork(options.network ?? [], {
      ...{ nodeName: name, nodeIPs: options.nodeIPs, configuration, dataDir: options.dataDir },
      ...{ client, informers, clock, random, log, metrics, routedNodes: options.routedNodes },
    });
  // The port may be any that was free.
  const config = nodeConfig({ ...options, ...configured.node }, server.port);
  const health = createRuntimeHealth({ runtime, clock, log, metrics });
  const kubelet = await createKubelet({
    networkProblem: () => health.networkProblem(),
    ...{ config, runtime, images, heartbeats, clock, log, node, references, random },
    ...{ ...api.kubelet, ...configured.kubelet },
    staticPods: staticPods.sources,
    findings: createMachineFindings({
      ...{ runtime, health, clock, log, rootDir, node, nodeName: name, nodeIPs: options.nodeIPs },
      ...{ maxPods: configuration.maxPods ?? 110, podsPerCore: configuration.podsPerCore ?? 0 },
      ...{
        evictionReserve: upkeep.reserve,
        limitsLocalStorage: configuration.localStorageCapacityIsolation,
        info: options.machineInfo,
        pressures: upkeep.pressures,
        volumesInUse: csi?.volumesInUse,
        problems: () => [...upkeep.problems(), ...(csi?.problems() ?? [])],
        devices: resources.devices,
      },
    }),
    admit: upkeep.admit,
    ...{ resources, isNewMachine: () => resources.isNewMachine },
    imageAccess,
    credentials: await openNodeCredentials({
      ...{ rootDir, clock, log, features, providers: options.credentialProviders },
      accounts: { client, tokens },
    }),
    pulls: createPullQueue(pullLimits(configuration), clock),
    allocations: await openAllocationFiles(rootDir),
    host: createPodHost({
      ...{ rootDir, volumes, cgroups, node, settings, resources, claims, logs: upkeep.logs },
      events: () => running?.events,
      podStarts: network && podStarter(network, log),
      lookups: (pod) => lookUpPod(pod, { client: api.kubelet.client, runtime, userNamespaces }),
      userNamespaces,
    }),
    prober: hostProber(runtime),
    probing,
    hooks: hostHooks({ runtime, clock, metrics: createHookMetrics(metrics) }),
    eventMemory: createEventMemory(clock, random),
    workerMetrics: createWorkerMetrics(metrics),
    traceStep: options.tracer?.step,
  });
  running = kubelet;
  const stop = new AbortController();
  const started = kubelet.start(stop.signal);
  started.then(
    () => {
      csi?.start();
      claims?.start();
    },
    () => {},
  );
  await localData?.start();
  const record = (event: KubeletEvent): void => kubelet.events.node({ metadata: { name } }, event);
  try {
    await upkeep.start(kubelet);
    await resources.serve();
  } catch (error) {
    record({ type: "Warning", reason: "KubeletSetupFailed", message: errorMessage(error) });
    stop.abort();
    await kubelet.stop();
    throw error;
  }
  const limits = await cgroups?.limit({ configuration, clock, record });
  const { resolvConf: text, clusterDomain } = settings();
  const problem = text && resolvConfProblem({ path: linux.resolvConf, text, clusterDomain });
  if (problem) record({ type: "Warning", reason: "CheckLimitsForResolvConf", message: problem });
  await network;
  // A node whose network arrives is ready at once, not only when its status is written next.
  const following = await options
    .followNetwork?.(() => {
      kubelet.refreshNode().catch((error: unknown) => log.error("updating the node failed", error));
    })
    .catch((error: unknown) => {
      log.warn("configurations of the network are not watched", { reason: errorMessage(error) });
    });
  return {
    ...{ kubelet, started, port: server.port },
    async close() {
      stop.abort();
      following?.close();
      await (await network)?.close();
      upkeep.close();
      limits?.close();
      await server.close();
      await serving.close();
      staticPods.close();
      await kubelet.stop();
      await plugins.close();
      await resources.close();
      csi?.close();
      claims?.close();
      await volumes.close();
      certificates.close();
      await localData?.close();
      heartbeats.close();
      api.close();
    },
  };
}

const openPodCertificates = (
  hasApi: boolean,
  features: ReadonlySet<string>,
  options: PodCertificatesOptions,
): PodCertificates =>
  hasApi && features.has("PodCertificateRequest") ? podCertificates(options) : noPodCertificates;

/** What the node says of itself; what depends on its machine is read later. */
function nodeConfig(options: NodeOptions & KubeletSettings["node"], port: number): NodeConfig {
  const { name, labels, podCidr, configuration, isRegisteredByOthers, reportMs } = options;
  const { systemReserved = {}, kubeReserved = {}, registerWithTaints: taints } = configuration;
  const reserved = addAmounts(systemReserved, kubeReserved);
  return {
    ...{ name, port, labels, podCidr, taints, reserved, isRegisteredByOthers, reportMs },
    cloudProvider: options.cloudProvider,
    address: options.nodeIPs[0] ?? "",
    capacity: {},
    maxImages: configuration.nodeStatusMaxImages,
    providerID: configuration.providerID,
    info: {
      ...{ kubeletVersion: kubernetesVersion, kubeProxyVersion: "", operatingSystem: "linux" },
      ...{ architecture: "", bootID: "", containerRuntimeVersion: "", kernelVersion: "" },
      ...{ machineID: "", osImage: "", systemUUID: "" },
    },
  };
}

/** The sums of amounts by their names. */
function addAmounts(
  a: Readonly<Record<string, string>>,
  b: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const sums = new Map(Object.entries(a));
  for (const [name, amount] of Object.entries(b)) {
    const before = parseQuantity(sums.get(name) ?? "0");
    sums.set(name, formatQuantity(addQuantities(before, parseQuantity(amount))));
  }
  return Object.fromEntries(sums);
}
