import type { Node } from "../api/core/v1/node/node.ts";
import type { Pod } from "../api/core/v1/pod/pod.ts";
import type { PodStatus } from "../api/core/v1/pod/pod-status.ts";
import { abortReason } from "../base/abort-reason.ts";
import { type Clock, sleep } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Random } from "../base/random.ts";
import type { Client } from "../client/client.ts";
import type { ImageService } from "../cri/image-service.ts";
import type { RuntimeService } from "../cri/runtime-service.ts";
import type { ImageAccess } from "./images/access/image-access.ts";
import type { PullQueue } from "./images/pull-queue.ts";
import { createKubeletEvents, type EventMemory, type KubeletEvents } from "./kubelet-events.ts";
import { KubeletPods } from "./kubelet-pods.ts";
import { logKubeletEvents } from "./log-kubelet-events.ts";
import type { WorkerMetrics } from "./metrics/worker-metrics.ts";
import { clockJumps } from "./node/clock-jumps.ts";
import type { Heartbeats } from "./node/heartbeats.ts";
import { hostIPs } from "./node/host-ips.ts";
import { createNodeAgent } from "./node/node-agent.ts";
import type { NodeConfig } from "./node/node-config.ts";
import type { NodeFindings } from "./node/node-findings.ts";
import { createStandaloneAgent } from "./node/standalone-agent.ts";
import { admitPod, lacksOf, type Rejection } from "./pod/admit-pod.ts";
import type { BackoffBounds } from "./pod/container/backoff-table.ts";
import type { HookRunner } from "./pod/container/hook-runner.ts";
import type { NodeCredentials } from "./pod/container/pull-secrets.ts";
import type { ServiceLister } from "./pod/container/service-variables.ts";
import { forbiddenSysctl } from "./pod/forbidden-sysctl.ts";
import { NodeUse } from "./pod/node-use.ts";
import type { PodEnd } from "./pod/pod-end.ts";
import type { PodHost } from "./pod/pod-host.ts";
import type { PodSurroundings } from "./pod/pod-surroundings.ts";
import type { Prober } from "./pod/probes/prober.ts";
import type { Probing } from "./pod/probes/probing.ts";
import type { ReferenceReader } from "./pod/reference-reader.ts";
import { removeOrphans } from "./pod/remove-orphans.ts";
import type { AllocationStore } from "./pod/resize/allocation-store.ts";
import type { ResourceAllocator } from "./pod/resource-allocator.ts";
import { isMirrorPod, isStaticPod } from "./pod/static-pod.ts";
import { createStatusWriter } from "./pod/status/status-writer.ts";
import type { TraceStep } from "./pod/worker-times.ts";
import type { PodListener, PodSource } from "./pod-source.ts";
import { createMirrorPods } from "./pod-sources/mirror-pods.ts";
import { type Preemption, planPreemption } from "./preemption/plan-preemption.ts";

export interface KubeletOptions {
  readonly config: NodeConfig;
  /** Calls as the node: `system:node:NAME`. Without it the kubelet is standalone: it has static pods only. */
  readonly client?: Client | undefined;
  /** Writes events, and the node with its lease; by default the same client. */
  readonly eventClient?: Client | undefined;
  readonly heartbeatClient?: Client | undefined;
  /** The pods of the API; absent without an API server. */
  readonly pods?: PodSource | undefined;
  /** The pods of files and URLs. */
  readonly staticPods?: readonly PodSource[] | undefined;
  /** The node in the API; undefined if it does not exist. */
  readonly node: () => Node | undefined;
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  readonly credentials?: NodeCredentials | undefined;
  /** Decides who may use images that are on the node; absent if all pods may. */
  readonly imageAccess?: ImageAccess | undefined;
  /** Limits pulls of images; absent for no limits. */
  readonly pulls?: PullQueue | undefined;
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
  /** Makes spans of the steps of pods; there are no traces if not given. */
  readonly traceStep?: TraceStep | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Reads the state of the machine; by default the machine is healthy and as it is configured. */
  readonly findings?: (() => Promise<NodeFindings>) | undefined;
  /** Why pods cannot have a network now: those that need one wait. */
  readonly networkProblem?: (() => Promise<string | undefined>) | undefined;
  /** Rejects new pods before other checks: a node that is short of resources or shuts down takes none. */
  readonly admit?: ((pod: Pod) => Rejection | undefined) | undefined;
  /** How long containers wait to be restarted; 10 s to 5 minutes by default. */
  readonly restartBackoff?: BackoffBounds | undefined;
  /** After how long pods are synced again although nothing happened; never if absent. */
  readonly resyncMs?: number | undefined;
  /** The sysctls that pods may set beside the safe ones: names, or prefixes that end in `*`. */
  readonly allowedUnsafeSysctls?: readonly string[] | undefined;
  /** Whether the machine was replaced since its node was registered. */
  readonly isNewMachine?: (() => boolean) | undefined;
  /** Absent if pods need no allocated resources. */
  readonly resources?: ResourceAllocator | undefined;
  /** Spreads the writes of many kubelets, and the syncs of their pods. */
  readonly random?: Random | undefined;
  /** Called with each pod that exists when the kubelet starts, before it is synced. */
  readonly restore?: ((pod: Pod) => void) | undefined;
}

/** The state of a pod on a node. One that is not known may exist until all pods are known: then it was deleted. */
export type PodState = "active" | "ended" | "deleted" | "unknown";

/** The agent of one node: it registers the node, and runs the pods bound to it. */
export interface Kubelet {
  readonly nodeName: string;
  readonly runtime: RuntimeService;
  readonly events: KubeletEvents;
  /** Resolves when the node is registered and its pods are watched. Static pods run before that. */
  start(signal: AbortSignal): Promise<void>;
  /** Stops the kubelet; its pods keep running. */
  stop(): Promise<void>;
  /** The pods that it knows. */
  pods(): readonly Pod[];
  /** The pods of the API that show its static pods. */
  mirrorPods(): readonly Pod[];
  /** What it knows of a pod now. */
  podState(podUid: string): PodState;
  /** The pods whose containers may run, with their allocated resources. */
  activePods(): readonly Pod[];
  /** Whether containers of a pod may run. */
  isActive(podUid: string): boolean;
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
  const { config, client, staticPods = [], runtime, heartbeats, clock, log } = options;
  const { eventClient = client, heartbeatClient = client } = options;
  const nodeName = config.name;
  const { runtimeName } = await runtimeVersion(options);
  const stopping = new AbortController();
  const stops: (() => void)[] = [() => stopping.abort(abortReason)];
  const memory = options.eventMemory;
  const events = eventClient
    ? createKubeletEvents({ nodeName, client: eventClient, clock, log, memory })
    : logKubeletEvents(log);
  const agent = heartbeatClient
    ? createNodeAgent({ ...options, client: heartbeatClient, events, stored: options.node })
    : createStandaloneAgent({ ...options, events });
  const mirrors =
    client &&
    createMirrorPods({
      ...{ client, clock, log, node: options.node },
      mirrored: (fullName) => pods.mirrored(fullName),
    });
  const statuses = createStatusWriter({
    client,
    clock,
    log,
    podOf: (uid) => pods.worker(uid)?.pod,
    storedOf: (pod) => (isStaticPod(pod) ? mirrors?.of(pod) : pod),
    mayRun: (uid) => pods.worker(uid)?.mayRun ?? false,
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
  const { resources } = options;
  const admit = (pod: Pod): Rejection | Preemption | undefined => {
    if (!agent.node) return undefined;
    const node = resources?.offered(agent.node, pod) ?? agent.node;
    const rejection = admitPod(pod, node, used);
    if (rejection) return rejection;
    const shortages = lacksOf(pod, node, used).map(
      ({ name, requested, used: taken, capacity }) => ({
        ...{ name, amount: requested - (capacity - taken) },
      }),
    );
    return shortages.length === 0 ? undefined : planPreemption(pod, runningPods(), shortages);
  };
  /** The pods whose resources count: those that end for another one do not. */
  const runningPods = (): readonly Pod[] =>
    [...pods.workers]
      .filter(({ mayRun, pod }) => mayRun && used.has(pod.metadata.uid ?? ""))
      .map(({ allocated }) => allocated);
  const admitEarly = (pod: Pod): Rejection | undefined =>
    options.admit?.(pod) ?? forbiddenSysctl(pod, options.allowedUnsafeSysctls);
  const pods = new KubeletPods({ around, admitEarly, resources, admit, mirrors });
  /** Resolves when a source is ready. */
  const follow = (source: PodSource, listener: Omit<PodListener, "ready">): Promise<void> =>
    new Promise((resolve) => {
      stops.push(source.subscribe({ ...listener, ready: resolve }));
    });
  const followApi = (source: PodSource): Promise<void> => {
    const { restore } = options;
    let isStarting = true;
    const ready = follow(source, {
      ...pods.ofApi,
      set(pod) {
        if (isStarting && !isMirrorPod(pod)) restore?.(pod);
        pods.ofApi.set(pod);
      },
    });
    isStarting = false;
    return ready;
  };
  /** All pods are known: what is left of others on the node can be removed. */
  const becomeComplete = (): void => {
    if (stopping.signal.aborted) return;
    pods.becomeComplete();
    const known = new Set(pods.all.map(({ metadata }) => metadata.uid ?? ""));
    options.allocations?.allocated.retain(known);
    options.allocations?.actuated.retain(known);
    void removeDeleted().catch(() => {});
  };
  const removeDeleted = async (): Promise<void> => {
    for (const { signal } = stopping; !signal.aborted; await sleep(clock, retryMs, signal)) {
      try {
        return await removeOrphans((uid) => pods.has(uid), around);
      } catch (error) {
        log.error("removing deleted pods failed", error);
      }
    }
  };
  const jumps = clockJumps(clock);
  /** Deadlines and tokens of pods depend on the time of the machine. */
  const followClock = (): void => {
    const jumped = jumps();
    if (jumped === 0) return;
    log.warn("the time of the machine was set", { node: nodeName, seconds: jumped / 1000 });
    for (const worker of pods.workers) worker.wake();
  };
  const beat = (): Promise<void> => {
    followClock();
    return agent.refresh();
  };
  const latest = (pod: Pod): Pod => withStatus(pod, statuses.get(pod.metadata.uid ?? ""));

  return {
    nodeName,
    runtime,
    events,
    async start(signal) {
      stops.push(runtime.containerEvents(({ podUid }) => pods.worker(podUid)?.notice()));
      if (staticPods.length > 0) await agent.prepare();
      signal.throwIfAborted();
      const ready = staticPods.map((source) => follow(source, pods.ofStatic));
      await agent.register(signal);
      if (heartbeatClient) {
        const node = (): Node | undefined => agent.node;
        stops.push(heartbeats.add({ nodeName, client: heartbeatClient, node, beat }));
      }
      if (options.pods) ready.push(followApi(options.pods));
      pods.reconcileMirrors();
      void agent.awaitReady(stopping.signal).catch(() => {});
      void Promise.all(ready).then(becomeComplete);
    },
    async stop() {
      for (const stop of stops) stop();
      mirrors?.close();
      statuses.close();
      for (const worker of pods.workers) worker.stop();
      await events.close();
    },
    pods: () => pods.all.map(latest),
    mirrorPods: () => mirrors?.all() ?? [],
    podState(uid) {
      if (pods.has(uid)) return (pods.worker(uid)?.mayRun ?? true) ? "active" : "ended";
      return pods.isComplete ? "deleted" : "unknown";
    },
    activePods: () =>
      [...pods.workers].filter(({ mayRun }) => mayRun).map(({ allocated }) => allocated),
    isActive: (podUid) => pods.worker(podUid)?.mayRun ?? !pods.isComplete,
    async evict(podUid, end) {
      await pods.worker(podUid)?.evict(end);
    },
    refreshNode: () => agent.refresh(),
    pod(namespace, name) {
      const pod = pods.named(namespace, name);
      return pod && latest(pod);
    },
    wake: (podUid) => pods.worker(podUid)?.wake(),
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

const retryMs = 10_000;

const withStatus = (pod: Pod, status: PodStatus | undefined): Pod =>
  status ? { ...pod, status } : pod;
