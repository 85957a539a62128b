import type { Pod } from "../api/core/v1/pod/pod.ts";
import { withDeadline } from "../base/clock.ts";
import type { Rejection } from "./pod/admit-pod.ts";
import { endGrace, type PodEnd } from "./pod/pod-end.ts";
import type { PodSurroundings } from "./pod/pod-surroundings.ts";
import { podText } from "./pod/pod-text.ts";
import { PodWorker } from "./pod/pod-worker.ts";
import { removeReplaced } from "./pod/remove-orphans.ts";
import type { ResourceAllocator } from "./pod/resource-allocator.ts";
import { fullNameOf, isMirrorPod, isStaticPod } from "./pod/static-pod.ts";
import { isTerminalPhase } from "./pod/status/pod-status.ts";
import { rejectedStatus } from "./pod/status/rejected-status.ts";
import type { PodListener } from "./pod-source.ts";
import { podOfApi } from "./pod-sources/annotate-pod.ts";
import type { MirroredPod } from "./pod-sources/mirror-action.ts";
import type { MirrorPods } from "./pod-sources/mirror-pods.ts";
import type { Preemption } from "./preemption/plan-preemption.ts";

export interface KubeletPodsOptions {
  readonly around: PodSurroundings;
  /** Why the node does not accept a new pod, before resources are allocated to it; undefined if it does. */
  readonly admitEarly: (pod: Pod) => Rejection | undefined;
  readonly resources?: ResourceAllocator | undefined;
  /** Why the node does not accept a new pod after that, or what it needs first; undefined if it accepts it. */
  readonly admit: (pod: Pod) => Verdict;
  /** Shows static pods in the API; absent without an API server. */
  readonly mirrors?: MirrorPods | undefined;
}

type Verdict = Rejection | Preemption | undefined;

/**
 * The pods of a kubelet, each with its worker. A changed static pod is another pod of the same name: it waits
 * until the pod that it replaces has ended.
 */
export class KubeletPods {
  readonly #options: KubeletPodsOptions;
  readonly #workers = new Map<string, PodWorker>();
  /** Static pods that wait for their name, the oldest first. */
  #waiting: readonly Pod[] = [];
  readonly #rejected = new Set<string>();
  #isComplete = false;

  constructor(options: KubeletPodsOptions) {
    this.#options = options;
  }

  /** All pods, those among them that wait for their name. */
  get all(): readonly Pod[] {
    return [...[...this.#workers.values()].map(({ pod }) => pod), ...this.#waiting];
  }

  get workers(): Iterable<PodWorker> {
    return this.#workers.values();
  }

  worker(uid: string): PodWorker | undefined {
    return this.#workers.get(uid);
  }

  /** Whether a pod is on this node, or will be. */
  has(uid: string): boolean {
    return this.#workers.has(uid) || this.#waiting.some(({ metadata }) => metadata.uid === uid);
  }

  /** The pod of a name: that of the API or the static one, never its mirror pod. */
  named(namespace: string, name: string): Pod | undefined {
    const found = this.all.filter(
      ({ metadata }) => metadata.name === name && metadata.namespace === namespace,
    );
    return found.find(({ metadata }) => !this.worker(metadata.uid ?? "")?.isRetired) ?? found[0];
  }

  /** The static pod of a name that the API must show. A mirror pod stays until its static pod has ended. */
  mirrored(fullName: string): MirroredPod {
    const worker = this.#staticWorker(fullName);
    if (worker) {
      const isShown = worker.stage === "sync" || this.#rejected.has(worker.pod.metadata.uid ?? "");
      return isShown && !worker.isRetired ? worker.pod : "any";
    }
    return this.#isComplete && !this.#nextOf(fullName) ? undefined : "any";
  }

  /** Whether all sources were read. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** All sources were read: mirror pods without a static pod can be deleted. */
  becomeComplete(): void {
    this.#isComplete = true;
    this.reconcileMirrors();
  }

  reconcileMirrors(): void {
    this.#options.mirrors?.reconcileAll(this.all.filter(isStaticPod).map(fullNameOf));
  }

  /** Follows the pods of the API. */
  readonly ofApi: Omit<PodListener, "ready"> = {
    set: (given) => {
      if (isMirrorPod(given)) return this.#setMirror(given);
      const pod = podOfApi(given);
      const worker = this.#workers.get(pod.metadata.uid ?? "");
      if (worker) worker.update(pod);
      else this.#begin(pod);
    },
    removed: (pod) => {
      if (isMirrorPod(pod)) return this.#options.mirrors?.removed(pod);
      const { uid = "" } = pod.metadata;
      this.#workers.get(uid)?.remove();
      this.#forget(uid);
    },
  };

  /** Follows the pods of a file, a folder or a URL. */
  readonly ofStatic: Omit<PodListener, "ready"> = {
    set: (pod) => {
      const { uid = "" } = pod.metadata;
      const worker = this.#workers.get(uid);
      if (worker && !worker.isRetired) return worker.update(pod);
      if (worker) this.#options.around.workerMetrics?.restarted(true);
      this.#waiting = [...this.#waiting.filter(({ metadata }) => metadata.uid !== uid), pod];
      this.#beginNext(fullNameOf(pod));
    },
    removed: (pod) => {
      const { uid = "" } = pod.metadata;
      this.#waiting = this.#waiting.filter(({ metadata }) => metadata.uid !== uid);
      const worker = this.#workers.get(uid);
      if (worker && !worker.isRetired) void this.#retire(worker);
    },
  };

  #begin(pod: Pod): void {
    const { around, admitEarly, resources } = this.#options;
    const { uid = "", deletionTimestamp } = pod.metadata;
    const worker = new PodWorker(pod, around);
    this.#workers.set(uid, worker);
    if (isTerminalPhase(pod.status.phase)) {
      worker.startEnded();
      return;
    }
    const isNew = pod.status.startTime === undefined && !deletionTimestamp;
    const early = isNew ? admitEarly(pod) : undefined;
    const allocation = early || deletionTimestamp ? undefined : resources?.admit(pod);
    if (allocation === undefined) this.#decide(worker, early ?? this.#verdict(worker, isNew));
    else void this.#admitLater(worker, isNew, allocation);
  }

  #verdict({ pod }: PodWorker, isNew: boolean): Verdict {
    return isNew ? this.#options.admit(pod) : undefined;
  }

  #decide(worker: PodWorker, verdict: Verdict): void {
    if (isPreemption(verdict)) void this.#preempt(worker, verdict);
    else if (verdict) this.#reject(worker, verdict);
    else if (isStaticPod(worker.pod) && !this.#isComplete) void this.#startAlone(worker);
    else worker.start();
  }

  /** Decides about a pod when its resources are allocated. One that ran before the kubelet ends if they are not. */
  async #admitLater(
    worker: PodWorker,
    isNew: boolean,
    allocation: Promise<Rejection | undefined>,
  ): Promise<void> {
    const { around, resources } = this.#options;
    worker.hold();
    const unallocated = await allocation;
    const { uid = "" } = worker.pod.metadata;
    const isGone = this.#workers.get(uid) !== worker || worker.isRetired;
    const verdict = unallocated ?? (isGone ? undefined : this.#verdict(worker, isNew));
    const rejection = isPreemption(verdict) ? undefined : verdict;
    if (isGone || rejection) await resources?.release(uid);
    if (isGone) return;
    if (isNew || !rejection) return this.#decide(worker, verdict);
    around.events.pod(worker.pod, { type: "Warning", ...rejection });
    worker.start();
    await worker.evict({ ...rejection, message: `Pod was rejected: ${rejection.message}` });
  }

  /**
   * Starts a critical pod when others have ended for it. Their resources are its own at once, so that no pod that
   * comes meanwhile gets them.
   */
  async #preempt(worker: PodWorker, { victims, resource }: Preemption): Promise<void> {
    const { around, resources } = this.#options;
    const { uid = "" } = worker.pod.metadata;
    worker.hold();
    for (const { metadata } of victims) around.used.free(metadata.uid ?? "");
    around.used.take(uid, worker.allocated.spec);
    await Promise.all(
      victims.map(async (pod) => {
        around.events.pod(pod, { type: "Warning", ...preempted });
        const ms = Math.max(shortestPatienceMs, 1500 * endGrace(pod, undefined));
        const end = preemptedEnd(pod);
        try {
          await withDeadline({ clock: around.clock, ms }, async () =>
            this.#workers.get(pod.metadata.uid ?? "")?.evict(end),
          );
          around.workerMetrics?.preempted(resource);
        } catch (error) {
          around.log.error("a pod does not end for a critical one", error, { pod: podText(pod) });
        }
      }),
    );
    if (this.#workers.get(uid) === worker && !worker.isRetired)
      return this.#decide(worker, undefined);
    around.used.free(uid);
    await resources?.release(uid);
  }

  #reject(worker: PodWorker, rejection: Rejection): void {
    const { events, statuses, clock, workerMetrics } = this.#options.around;
    const { pod } = worker;
    this.#rejected.add(pod.metadata.uid ?? "");
    workerMetrics?.rejected(rejection.reason);
    events.pod(pod, { type: "Warning", ...rejection });
    worker.startFinished();
    statuses.set(pod, rejectedStatus(pod, rejection, clock.now()));
    if (pod.metadata.deletionTimestamp) statuses.finish(pod);
  }

  /** Starts a static pod after what runs of a pod that it replaced while the kubelet did not run. */
  async #startAlone(worker: PodWorker): Promise<void> {
    const { around } = this.#options;
    await removeReplaced(worker.pod, (uid) => this.has(uid), around).catch((error: unknown) =>
      around.log.error("removing a replaced static pod failed", error),
    );
    if (!worker.isRetired) worker.start();
  }

  /** Begins the static pod that waits for a name, unless another one has it. */
  #beginNext(fullName: string): void {
    const next = this.#nextOf(fullName);
    if (!next || this.#staticWorker(fullName)) return;
    this.#waiting = this.#waiting.filter((pod) => pod !== next);
    this.#begin(next);
    this.#options.mirrors?.reconcile(fullName);
  }

  async #retire(worker: PodWorker): Promise<void> {
    const { uid = "" } = worker.pod.metadata;
    const fullName = fullNameOf(worker.pod);
    await worker.retire();
    this.#options.around.statuses.forget(uid);
    this.#forget(uid);
    this.#beginNext(fullName);
    this.#options.mirrors?.reconcile(fullName);
  }

  #forget(uid: string): void {
    this.#workers.delete(uid);
    this.#rejected.delete(uid);
    // There may be room now for pods that wait for a resize.
    for (const worker of this.workers) if (worker.isDeferred) worker.wake();
  }

  #setMirror(mirror: Pod): void {
    const { mirrors, around } = this.#options;
    mirrors?.set(mirror);
    const pod = this.#staticWorker(fullNameOf(mirror))?.pod;
    if (pod && mirrors?.of(pod)) around.statuses.reconcile(pod, mirror);
  }

  #staticWorker(fullName: string): PodWorker | undefined {
    for (const worker of this.workers)
      if (isStaticPod(worker.pod) && fullNameOf(worker.pod) === fullName) return worker;
    return undefined;
  }

  #nextOf(fullName: string): Pod | undefined {
    return this.#waiting.find((pod) => fullNameOf(pod) === fullName);
  }
}

const isPreemption = (verdict: Verdict): verdict is Preemption =>
  verdict !== undefined && "victims" in verdict;

const preempted = {
  reason: "Preempting",
  message: "Preempted in order to admit critical pod",
} as const;
/** How long a critical pod waits at least for another one to end. */
const shortestPatienceMs = 10_000;

const preemptedEnd = ({ metadata: { generation } }: Pod): PodEnd => ({
  ...preempted,
  condition: {
    ...{ type: "DisruptionTarget", status: "True", reason: "TerminationByKubelet" },
    message: "Pod was preempted by Kubelet to accommodate a critical pod.",
    ...(generation !== undefined && { observedGeneration: generation }),
  },
});
