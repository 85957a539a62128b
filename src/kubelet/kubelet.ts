import type { Node } from "../api/core/v1/node/node.ts";
import type { Pod } from "../api/core/v1/pod/pod.ts";
import { podQosClass } from "../api/core/v1/pod/pod-qos.ts";
import type { PodStatus } from "../api/core/v1/pod/pod-status.ts";
import { abortReason } from "../base/abort-reason.ts";
import { type Clock, sleep } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Random } from "../base/random.ts";
import type { Client } from "../client/client.ts";
import type { ImageService } from "../cri/image-service.ts";
import type { RuntimeService } from "../cri/runtime-service.ts";
import { createKubeletEvents, type EventMemory, type KubeletEvents } from "./kubelet-events.ts";
import type { WorkerMetrics } from "./metrics/worker-metrics.ts";
import type { Heartbeats } from "./node/heartbeats.ts";
import { hostIPs } from "./node/host-ips.ts";
import { createNodeAgent } from "./node/node-agent.ts";
import type { NodeConfig } from "./node/node-config.ts";
import type { NodeFindings } from "./node/node-findings.ts";
import { admitPod, type Rejection } from "./pod/admit-pod.ts";
import { timeText } from "./pod/container/container-statuses.ts";
import type { HookRunner } from "./pod/container/hook-runner.ts";
import type { NodeCredentials } from "./pod/container/pull-secrets.ts";
import type { ServiceLister } from "./pod/container/service-variables.ts";
import { NodeUse } from "./pod/node-use.ts";
import type { PodEnd } from "./pod/pod-end.ts";
import type { PodHost } from "./pod/pod-host.ts";
import type { PodSurroundings } from "./pod/pod-surroundings.ts";
import { PodWorker } from "./pod/pod-worker.ts";
import type { Prober } from "./pod/probes/prober.ts";
import type { Probing } from "./pod/probes/probing.ts";
import type { ReferenceReader } from "./pod/reference-reader.ts";
import { removeOrphans } from "./pod/remove-orphans.ts";
import type { AllocationStore } from "./pod/resize/allocation-store.ts";
import { isTerminalPhase } from "./pod/status/pod-status.ts";
import { createStatusWriter } from "./pod/status/status-writer.ts";
import type { PodSource } from "./pod-source.ts";

export interface KubeletOptions {
  readonly config: NodeConfig;
  /** Calls as the node: `system:node:NAME`. */
  readonly client: Client;
  readonly pods: PodSource;
  /** The node in the API; undefined if it does not exist. */
  readonly node: () => Node | undefined;
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  readonly credentials?: NodeCredentials | undefined;
  readonly host: PodHost;
  readonly references: ReferenceReader;
  /** What is known of the resources of pods after a restart; absent if the runtime and statuses know enough. */
  readonly allocations?: AllocationStore | undefined;
  /** The services of which containers learn by variables; absent for none. */
  readonly services?: ServiceLister | undefined;
  readonly prober: Prober;
  readonly probing?: Probing | undefined;
  readonly hooks: HookRunner;
  readonly heartbeats: Heartbeats;
  readonly eventMemory: EventMemory;
  readonly workerMetrics?: WorkerMetrics | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Reads the state of the machine; by default the machine is healthy and as it is configured. */
  readonly findings?: (() => Promise<NodeFindings>) | undefined;
  /** Rejects new pods before other checks: a node that is short of resources or shuts down takes none. */
  readonly admit?: ((pod: Pod) => Rejection | undefined) | undefined;
  /** Spreads the writes of many kubelets. */
  readonly random?: Random | undefined;
  /** Called with each pod that exists when the kubelet starts, before it is synced. */
  readonly restore?: ((pod: Pod) => void) | undefined;
}

/** The agent of one node: it registers the node, and runs the pods bound to it. */
export interface Kubelet {
  readonly nodeName: string;
  readonly runtime: RuntimeService;
  readonly events: KubeletEvents;
  /** Resolves when the node is registered and its pods are watched. */
  start(signal: AbortSignal): Promise<void>;
  /** Stops the kubelet; its pods keep running. */
  stop(): Promise<void>;
  /** The pods that it knows. */
  pods(): readonly Pod[];
  /** The pods whose containers may run, with their allocated resources. */
  activePods(): readonly Pod[];
  /** Ends a pod, which then has failed; resolves when nothing of it is left but its status. */
  evict(podUid: string, end: PodEnd): Promise<void>;
  /** Writes the status of the node at once, if it has changed. */
  refreshNode(): Promise<void>;
  /** A pod with its latest status. */
  pod(namespace: string, name: string): Pod | undefined;
  /** Syncs a pod at once, because something that it refers to has changed. */
  wake(podUid: string): void;
}

export async function createKubelet(options: KubeletOptions): Promise<Kubelet> {
  const { config, client, pods: source, runtime, heartbeats, clock, log } = options;
  const nodeName = config.name;
  const { runtimeName } = await runtimeVersion(options);
  const workers = new Map<string, PodWorker>();
  const stopping = new AbortController();
  const stops: (() => void)[] = [() => stopping.abort(abortReason)];
  const memory = options.eventMemory;
  const events = createKubeletEvents({ nodeName, client, clock, log, memory });
  const agent = createNodeAgent({ ...options, events, stored: options.node });
  const statuses = createStatusWriter({
    client,
    clock,
    log,
    podOf: (uid) => workers.get(uid)?.pod,
    mayRun: (uid) => workers.get(uid)?.mayRun ?? false,
  });
  const configuredIPs = [config.address];
  const used = new NodeUse();
  const around: PodSurroundings = {
    ...options,
    nodeName,
    runtimeName,
    events,
    statuses,
    hostIPs: options.findings ? () => hostIPs(agent.node) : () => configuredIPs,
    node: () => agent.node,
    used,
  };

  const reject = (worker: PodWorker, { reason, message }: Rejection): void => {
    const { pod } = worker;
    options.workerMetrics?.rejected(reason);
    events.pod(pod, { type: "Warning", reason, message });
    worker.startFinished();
    statuses.set(pod, rejectedStatus(pod, { reason, message }, clock.now()));
    if (pod.metadata.deletionTimestamp) statuses.finish(pod);
  };
  const begin = (pod: Pod): void => {
    const worker = new PodWorker(pod, around);
    workers.set(pod.metadata.uid ?? "", worker);
    if (isTerminalPhase(pod.status.phase)) {
      worker.startFinished();
      worker.update(pod);
      return;
    }
    const { node } = agent;
    const isNew = pod.status.startTime === undefined && !pod.metadata.deletionTimestamp;
    const rejection = isNew
      ? (options.admit?.(pod) ?? (node && admitPod(pod, node, used)))
      : undefined;
    if (rejection) reject(worker, rejection);
    else worker.start();
  };
  let hasStarted = false;
  const listener = {
    set(pod: Pod): void {
      const worker = workers.get(pod.metadata.uid ?? "");
      if (worker) {
        worker.update(pod);
        return;
      }
      if (!hasStarted) options.restore?.(pod);
      begin(pod);
    },
    removed({ metadata: { uid = "" } }: Pod): void {
      workers.get(uid)?.remove();
      workers.delete(uid);
      // There may be room now for pods that wait for a resize.
      for (const worker of workers.values()) if (worker.isDeferred) worker.wake();
    },
  };

  return {
    nodeName,
    runtime,
    events,
    async start(signal) {
      await agent.register(signal);
      stops.push(
        heartbeats.add({
          nodeName,
          client,
          node: () => agent.node,
          beat: () => agent.refresh(),
        }),
        runtime.containerEvents(({ podUid }) => workers.get(podUid)?.notice()),
      );
      stops.push(source.subscribe(listener));
      hasStarted = true;
      void agent.awaitReady(stopping.signal).catch(() => {});
      const known = new Set(workers.keys());
      options.allocations?.allocated.retain(known);
      options.allocations?.actuated.retain(known);
      void removeOrphans((uid) => workers.has(uid), around).catch((error: unknown) =>
        log.error("removing deleted pods failed", error),
      );
    },
    async stop() {
      for (const stop of stops) stop();
      statuses.close();
      for (const worker of workers.values()) worker.stop();
      await events.close();
    },
    pods: () =>
      [...workers.values()].map(({ pod }) => withStatus(pod, statuses.get(pod.metadata.uid ?? ""))),
    activePods: () =>
      [...workers.values()].filter(({ mayRun }) => mayRun).map(({ allocated }) => allocated),
    async evict(podUid, end) {
      await workers.get(podUid)?.evict(end);
    },
    refreshNode: () => agent.refresh(),
    pod(namespace, name) {
      for (const { pod } of workers.values()) {
        const { metadata } = pod;
        if (metadata.name === name && metadata.namespace === namespace)
          return withStatus(pod, statuses.get(metadata.uid ?? ""));
      }
      return undefined;
    },
    wake: (podUid) => workers.get(podUid)?.wake(),
  };
}

/** The version of the runtime; one that does not respond yet is queried again. */
async function runtimeVersion({ runtime, clock, log, config }: KubeletOptions) {
  for (let wait = 200; ; wait = Math.min(wait * 2, 7000)) {
    try {
      return await runtime.version();
    } catch (error) {
      log.warn("the container runtime does not respond", { node: config.name, error });
    }
    await sleep(clock, wait);
  }
}

const withStatus = (pod: Pod, status: PodStatus | undefined): Pod =>
  status ? { ...pod, status } : pod;

/** The status of a pod that the node rejects. */
function rejectedStatus(pod: Pod, { reason, message }: Rejection, now: number): PodStatus {
  const { generation } = pod.metadata;
  return {
    ...(generation !== undefined && { observedGeneration: generation }),
    phase: "Failed",
    message: `Pod was rejected: ${message}`,
    reason,
    startTime: timeText(now),
    qosClass: podQosClass(pod),
  } as PodStatus;
}
