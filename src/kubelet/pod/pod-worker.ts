import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { PodStatus } from "../../api/core/v1/pod/pod-status.ts";
import { abortReason } from "../../base/abort-reason.ts";
import type { Timer } from "../../base/clock.ts";
import { errorMessage } from "../../base/error-message.ts";
import { rpcMessage } from "../../cri/rpc-message.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { activeDeadline, deadlineExceeded } from "./active-deadline.ts";
import { BackoffTable } from "./container/backoff-table.ts";
import type { StartFailure } from "./container/container-statuses.ts";
import { withLastWords } from "./container/last-words.ts";
import { killPod } from "./kill-pod.ts";
import { Leaving } from "./leaving.ts";
import { endGrace, type PodEnd } from "./pod-end.ts";
import type { PodSurroundings } from "./pod-surroundings.ts";
import { isProbedPod, PodProbes } from "./probes/pod-probes.ts";
import { noProbes } from "./probes/probe-results.ts";
import { podResourcesOf } from "./resize/allocation-store.ts";
import { PodAllocation } from "./resize/pod-allocation.ts";
import { isResized, resizeActions } from "./resize/resize-actions.ts";
import { beforeItEnded, latestOf, type RuntimePod, runtimePodOf } from "./runtime-pod.ts";
import { finalStatus } from "./status/final-status.ts";
import { isTerminalPhase, podStatus } from "./status/pod-status.ts";
import { type SyncOutcome, syncPod } from "./sync-pod.ts";
import { WorkerTimes } from "./worker-times.ts";

/** The stage of a pod on this node. */
export type PodStage =
  /** The pod is synced with its spec. */
  | "sync"
  /** Its containers are being stopped. */
  | "terminating"
  /** All containers have ended. */
  | "terminated"
  /** The pod had ended when the kubelet started, which may have been interrupted before it removed all. */
  | "ended"
  /** The pod is done; only its deletion is left. */
  | "finished";

/**
 * Takes one pod through its life on a node: level-triggered, one step at a time. Changes are reported with
 * `update` or `wake`; during a step, they cause another step.
 */
export class PodWorker {
  readonly #around: PodSurroundings;
  #pod: Pod;
  #stage: PodStage = "sync";
  #isWorking = false;
  #isAwaited = false;
  /** Whether the pod waits for its resources. */
  #isHeld = false;
  /** Whether the runtime has changed since it was last read. */
  #isNoticed = false;
  #isRemoved = false;
  #isRetired = false;
  #end: PodEnd | undefined;
  /** Called when nothing of the pod is left but its status. */
  readonly #onFinished: (() => void)[] = [];
  /** Called when nothing of a retired pod is left at all. */
  readonly #onCleared: (() => void)[] = [];
  #probes: PodProbes | undefined;
  /** Why containers could not be started, by name. */
  readonly #failures = new Map<string, StartFailure>();
  readonly #pullErrors = new Map<string, string>();
  /** The state of the runtime that the last sync has seen; undefined if the next one must not rely on it. */
  #seen: RuntimePod | undefined;
  /** The container that the last sync started last. */
  #started: string | undefined;
  #backoff: BackoffTable | undefined;
  #retry: Timer | undefined;
  #deadline: Timer | undefined;
  /** Aborts work that must stop when the pod must end. */
  readonly #leaving = new Leaving();
  /** Aborts hooks and waits when the grace period is shortened. */
  #hurry: AbortController | undefined;
  #gracePeriod: number | undefined;
  readonly #allocation: PodAllocation;
  readonly #times: WorkerTimes;

  constructor(pod: Pod, around: PodSurroundings) {
    this.#pod = pod;
    this.#around = around;
    this.#times = new WorkerTimes(around.workerMetrics, around.clock, around.traceStep);
    const stored = around.allocations?.allocated.get(pod.metadata.uid ?? "");
    this.#allocation = new PodAllocation(pod, stored);
  }

  get pod(): Pod {
    return this.#pod;
  }

  get stage(): PodStage {
    return this.#stage;
  }

  /** The pod with its allocated resources. */
  get allocated(): Pod {
    return this.#allocation.of(this.#pod);
  }

  /** Whether a resize waits for free resources. */
  get isDeferred(): boolean {
    return this.#allocation.isDeferred;
  }

  /** Whether containers of the pod may still run. */
  get mayRun(): boolean {
    return this.#stage === "sync" || this.#stage === "terminating";
  }

  /** Waits with everything until the pod is started, or deleted. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Starts to sync the pod. */
  start(): void {
    this.#isHeld = false;
    this.#around.used.take(this.#pod.metadata.uid ?? "", this.#allocation.spec);
    this.#times.begin(this.#pod);
    this.wake();
  }

  /** Starts for a pod that is not run. */
  startFinished(): void {
    this.#becomeFinished();
  }

  /** Starts for a pod that ended before the kubelet started. */
  startEnded(): void {
    this.#stage = "ended";
    this.wake();
  }

  /** Ends the pod, which then has failed; resolves when nothing of it is left but its status. */
  evict(end: PodEnd): Promise<void> {
    if (this.#stage === "finished") return Promise.resolve();
    if (this.mayRun) {
      this.#end = this.#end ? { ...this.#end, graceSeconds: end.graceSeconds } : end;
      this.#leaving.begin();
      this.#shortenGrace();
      this.wake();
    }
    return new Promise((resolve) => this.#onFinished.push(resolve));
  }

  update(pod: Pod): void {
    const old = this.#pod;
    this.#pod = pod;
    this.#times.changed();
    if (this.#isLeaving()) this.#leaving.begin();
    this.#shortenGrace();
    if (this.#stage === "finished") {
      if (pod.metadata.deletionTimestamp) this.#around.statuses.finish(pod);
      return;
    }
    const isAboutStatus = isSameButStatus(pod, old) && !this.#isLeaving();
    // Conditions written by others matter only to pods with readiness gates.
    if (!isAboutStatus || pod.spec.readinessGates?.length) this.wake();
    else this.#around.statuses.reconcile(pod, pod);
  }

  /** The pod was deleted from the API: stop and remove what is left of it. */
  remove(): void {
    this.#isRemoved = true;
    this.#leaving.begin();
    this.#hurry ??= new AbortController();
    this.#hurry.abort(abortReason);
    const { uid = "" } = this.#pod.metadata;
    this.#around.statuses.forget(uid);
    this.#around.used.free(uid);
    this.wake();
  }

  /** Whether the source of the pod no longer has it. */
  get isRetired(): boolean {
    return this.#isRetired;
  }

  /** The source of the pod no longer has it: ends it in its grace period; resolves when nothing of it is left. */
  retire(): Promise<void> {
    this.#isRetired = true;
    this.#leaving.begin();
    this.wake();
    return new Promise((resolve) => this.#onCleared.push(resolve));
  }

  /** The runtime has changed. */
  notice(): void {
    this.#isNoticed = true;
    this.#begin();
  }

  /** A probe has a new result. While the pod ends, only its readiness changes. */
  #probed(): void {
    if (this.#stage === "terminating" && !this.#end) void this.#sayReadiness();
    else this.wake();
  }

  async #sayReadiness(): Promise<void> {
    try {
      const runtimePod = await this.#runtimePod();
      if (this.#stage === "terminating") this.#say(runtimePod);
    } catch {
      // The status at the end of the pod is written in any case.
    }
  }

  /** Runs another step, because something may have changed. */
  wake(): void {
    this.#isAwaited = true;
    this.#begin();
  }

  #begin(): void {
    if (this.#isWorking || (this.#isHeld && !this.#isRemoved && !this.#isRetired)) return;
    this.#isWorking = true;
    void this.#work();
  }

  /** Stops the worker; containers keep running. */
  stop(): void {
    this.#becomeFinished();
    this.#isRemoved = false;
    this.#isRetired = false;
    this.#cancelTimers();
    this.#probes?.stop();
  }

  async #work(): Promise<void> {
    do {
      // Only what was noticed may be known already.
      if (this.#isAwaited) this.#seen = undefined;
      this.#isAwaited = false;
      this.#isNoticed = false;
      try {
        await this.#times.step(this.#stage, this.#pod, () => this.#step());
      } catch (error) {
        this.#seen = undefined;
        const { name, namespace } = this.#pod.metadata;
        const why = errorMessage(error);
        this.#around.log.warn("syncing the pod failed", { name, namespace, error: why });
        this.#retryIn(retryMs);
      }
    } while (this.#isAwaited || this.#isNoticed);
    this.#isWorking = false;
  }

  async #step(): Promise<void> {
    if (this.#isRemoved) return this.#clear();
    if (this.#stage === "sync") await this.#sync();
    if (this.#stage === "terminating") await this.#terminate();
    if (this.#stage === "terminated") await this.#finish();
    if (this.#stage === "ended") await this.#removeRemains();
    if (this.#stage === "finished" && this.#isRetired) await this.#clear();
  }

  async #sync(): Promise<void> {
    const runtimePod = await this.#foundPod();
    if (this.#isLeaving()) {
      this.#stage = "terminating";
      return;
    }
    // What was noticed may be what the last sync knew.
    if (this.#seen && sameJson(this.#seen, runtimePod)) return;
    this.#seen = runtimePod;
    if (!this.#probes && isProbedPod(this.#pod))
      this.#probes = new PodProbes(this.#pod, this.#around, () => this.#probed());
    if (this.#isPastDeadline()) this.#end ??= this.#tellDeadline();
    await this.#allocate();
    this.#showStart(runtimePod);
    const status = this.#say(runtimePod);
    const isOver = isTerminalPhase(status.phase);
    // What shows only for as long as the next attempt or the end of the pod takes is written, too.
    if (isOver || this.#failures.size > 0) this.#around.statuses.keep(this.#pod);
    if (isOver) {
      this.#stage = "terminating";
      return;
    }
    this.#retry?.cancel();
    if (await this.#lacksNetwork()) return;
    this.#backoff ??= new BackoffTable(this.#around.clock);
    const outcome = await syncPod(
      {
        pod: this.allocated,
        runtimePod,
        probes: this.#probes ?? noProbes,
        failures: this.#failures,
        pullErrors: this.#pullErrors,
        backoff: this.#backoff,
        leaving: this.#leaving,
        pulled: (ms) => this.#times.pulled(ms),
        isRestarting: status.conditions?.some(
          (condition) =>
            condition.type === "AllContainersRestarting" && condition.status === "True",
        ),
      },
      this.#around,
    );
    this.#started = outcome.started;
    if (this.#stage !== "sync") return;
    if (this.#allocation.isInProgress) await this.#finishResize(outcome.resizeError);
    this.#syncLater(outcome);
  }

  /**
   * Failures are retried, and what the runtime or others did unnoticed is found. The status shows failures from the
   * next sync on, which follows at once if the runtime has changed meanwhile.
   */
  #syncLater({ retryMs = Infinity }: SyncOutcome): void {
    const { random, resyncMs = Infinity } = this.#around;
    const wait = Math.min(retryMs < Infinity ? longestRetryMs : Infinity, retryMs, resyncMs);
    if (wait < Infinity) this.#retryIn(wait * (1 + retrySpread * (random?.next() ?? 0)));
  }

  /** Shows that a container has run, even if it has ended before anybody looked. */
  #showStart(runtimePod: RuntimePod): void {
    const name = this.#started;
    this.#started = undefined;
    const before = name === undefined ? undefined : beforeItEnded(runtimePod, name);
    if (name === undefined || !before) return;
    const { statuses, runtimeName } = this.#around;
    const shown = statuses.get(this.#pod.metadata.uid ?? "");
    const all = [
      ...(shown?.initContainerStatuses ?? []),
      ...(shown?.containerStatuses ?? []),
      ...(shown?.ephemeralContainerStatuses ?? []),
    ];
    const containerID = `${runtimeName}://${latestOf(runtimePod, name)?.id}`;
    if (all.some((status) => status.containerID === containerID)) return;
    this.#say(before);
    statuses.keep(this.#pod);
  }

  /** Allocates the requested resources if they fit. */
  async #allocate(): Promise<void> {
    const { node, used, events, allocations, resources } = this.#around;
    const pod = this.#pod;
    const { uid = "" } = pod.metadata;
    const before = this.#allocation.spec;
    const event = this.#allocation.review(pod, node(), {
      others: () => used.beside(uid),
      refuse: resources && ((one, allocated) => resources.refuseResize(one, allocated)),
    });
    const { spec } = this.#allocation;
    used.retake(uid, spec);
    if (event) events.pod(pod, event);
    if (allocations && (spec !== before || !allocations.allocated.get(uid)))
      await allocations.allocated.set(uid, podResourcesOf({ spec }));
  }

  async #finishResize(error: string | undefined): Promise<void> {
    const { events, allocations } = this.#around;
    const runtimePod = await this.#runtimePod();
    const actuated = allocations?.actuated.get(this.#pod.metadata.uid ?? "");
    if (error === undefined && isResized(resizeActions(this.allocated, runtimePod, actuated)))
      events.pod(this.#pod, this.#allocation.complete(this.#pod));
    else {
      const event = error === undefined ? undefined : this.#allocation.fail(this.#pod, error);
      if (!event) return;
      events.pod(this.#pod, event);
    }
    this.#say(runtimePod);
  }

  async #terminate(): Promise<void> {
    this.#cancelTimers();
    const runtimePod = await this.#foundPod();
    const pod = this.#pod;
    if (!this.#end) this.#say(runtimePod);
    this.#probes?.stopRestarts();
    const gracePeriod = endGrace(pod, this.#end);
    this.#gracePeriod = gracePeriod;
    this.#hurry ??= new AbortController();
    try {
      await killPod({ pod, runtimePod, gracePeriod, hurry: this.#hurry.signal }, this.#around);
    } catch (error) {
      this.#warn("FailedKillPod", `error killing pod: ${errorMessage(error)}`);
      throw error;
    }
    this.#probes?.stop();
    await this.#around.host.unprepare?.(pod);
    this.#stage = "terminated";
    this.#around.used.free(pod.metadata.uid ?? "");
    this.#say(await this.#runtimePod(), true);
  }

  async #finish(): Promise<void> {
    const { statuses, host } = this.#around;
    await host.tearDown(this.#pod);
    const { uid = "" } = this.#pod.metadata;
    const known = statuses.get(uid) ?? this.#pod.status;
    const status = finalStatus(this.#pod, known);
    statuses.set(this.#pod, status);
    this.#times.said(this.#pod, status, known);
    this.#becomeFinished();
    statuses.finish(this.#pod);
  }

  /** Removes what is left of a pod that had ended. Its status is not changed. */
  async #removeRemains(): Promise<void> {
    const { runtime, host, statuses } = this.#around;
    const runtimePod = await runtimePodOf(runtime, this.#pod.metadata.uid ?? "");
    const gracePeriod = endGrace(this.#pod, undefined);
    // Others may have written that it has ended while the kubelet did not run.
    if (runtimePod.containers.some(({ state }) => state === "running"))
      await killPod({ pod: this.#pod, runtimePod, gracePeriod }, this.#around);
    await host.tearDown(this.#pod);
    this.#becomeFinished();
    if (this.#pod.metadata.deletionTimestamp) statuses.finish(this.#pod);
  }

  /** Removes everything of a pod that was deleted, including its logs. */
  async #clear(): Promise<void> {
    this.#cancelTimers();
    this.#probes?.stop();
    const runtimePod = await this.#runtimePod();
    const { runtime, host, allocations } = this.#around;
    const running = runtimePod.containers.filter(({ state }) => state === "running");
    await Promise.all(running.map(({ id }) => runtime.stopContainer(id, 1)));
    for (const { id } of runtimePod.sandboxes) await runtime.removePodSandbox(id);
    const { uid = "" } = this.#pod.metadata;
    await host.remove(uid);
    allocations?.allocated.remove(uid);
    allocations?.actuated.remove(uid);
    this.#becomeFinished();
    for (const cleared of this.#onCleared.splice(0)) cleared();
  }

  #becomeFinished(): void {
    this.#stage = "finished";
    for (const finished of this.#onFinished.splice(0)) finished();
  }

  /** Whether a pod with a network of its own must wait for that of the node. */
  async #lacksNetwork(): Promise<boolean> {
    if (this.#pod.spec.hostNetwork) return false;
    const { networkProblem, random } = this.#around;
    const problem = await networkProblem?.();
    if (problem === undefined || this.#stage !== "sync") return false;
    this.#warn("NetworkNotReady", `network is not ready: ${problem}`);
    this.#retryIn(networkRetryMs * (1 + retrySpread * (random?.next() ?? 0)));
    return true;
  }

  #warn(reason: string, message: string): void {
    this.#around.events.pod(this.#pod, { type: "Warning", reason, message });
  }

  /** Reads the pod for a step that cannot do without. */
  async #foundPod(): Promise<RuntimePod> {
    try {
      return await this.#runtimePod();
    } catch (error) {
      this.#warn("FailedSync", `error determining status: ${rpcMessage(error)}`);
      throw error;
    }
  }

  async #runtimePod(): Promise<RuntimePod> {
    const { runtime } = this.#around;
    const runtimePod = await runtimePodOf(runtime, this.#pod.metadata.uid ?? "");
    return withLastWords(this.#pod, runtimePod, this.#around);
  }

  /** Computes and sets the pod's status. */
  #say(runtimePod: RuntimePod, isTerminal = false): PodStatus {
    const { statuses, clock, hostIPs, runtimeName, allocations } = this.#around;
    const pod = this.allocated;
    const previous = statuses.get(pod.metadata.uid ?? "") ?? pod.status;
    const status = podStatus({
      pod,
      runtimePod,
      previous,
      probes: this.#probes ?? noProbes,
      failureOf: (name) => this.#failures.get(name),
      resourceStatuses: (name) => this.#around.host.resourceStatuses?.(pod, name) ?? [],
      actuated: allocations?.actuated.get(pod.metadata.uid ?? ""),
      isTerminal,
      end: this.#end,
      resize: this.#allocation.findings(pod),
      hostIPs: hostIPs(),
      runtimeName,
      now: clock.now(),
    });
    statuses.set(pod, status);
    this.#times.said(pod, status, previous);
    this.#probes?.update(pod, status);
    this.#watchDeadline(status);
    return status;
  }

  #isLeaving(): boolean {
    const { metadata, status } = this.#pod;
    return (
      this.#isRetired || metadata.deletionTimestamp !== undefined || isTerminalPhase(status.phase)
    );
  }

  /** The grace period may be shortened while the pod ends. */
  #shortenGrace(): void {
    if (this.#stage !== "terminating" || this.#gracePeriod === undefined) return;
    const gracePeriod = endGrace(this.#pod, this.#end);
    if (gracePeriod >= this.#gracePeriod) return;
    this.#gracePeriod = gracePeriod;
    this.#hurry?.abort(abortReason);
    this.#hurry = undefined;
    const { runtime } = this.#around;
    void this.#runtimePod().then(({ containers }) =>
      Promise.all(
        containers
          .filter(({ state }) => state === "running")
          .map(({ id }) => runtime.stopContainer(id, gracePeriod)),
      ),
    );
  }

  #isPastDeadline(): boolean {
    const { statuses, clock } = this.#around;
    const status = statuses.get(this.#pod.metadata.uid ?? "") ?? this.#pod.status;
    const deadline = activeDeadline(this.#pod, status);
    return deadline !== undefined && clock.now() >= deadline;
  }

  #tellDeadline(): PodEnd {
    this.#around.events.pod(this.#pod, { type: "Normal", ...deadlineExceeded });
    return deadlineExceeded;
  }

  #watchDeadline(status: PodStatus): void {
    const deadline = activeDeadline(this.#pod, status);
    this.#deadline?.cancel();
    if (deadline === undefined || this.#stage !== "sync") return;
    const { clock } = this.#around;
    this.#deadline = clock.setTimer(Math.max(0, deadline - clock.now()), () => this.wake());
  }

  #retryIn(ms: number): void {
    this.#retry?.cancel();
    this.#retry = this.#around.clock.setTimer(ms, () => this.wake());
  }

  #cancelTimers(): void {
    this.#retry?.cancel();
    this.#deadline?.cancel();
  }
}

const retryMs = 10_000;
const longestRetryMs = 60_000;
const networkRetryMs = 1000;
/** By how much waits are longer, by chance. */
const retrySpread = 0.5;

/** Whether two states of a pod differ in nothing but their status. Static pods have no generation. */
function isSameButStatus({ metadata, spec }: Pod, { metadata: old, spec: oldSpec }: Pod): boolean {
  return (
    (metadata.generation !== undefined || sameJson(spec, oldSpec)) &&
    metadata.generation === old.generation &&
    metadata.deletionTimestamp === old.deletionTimestamp &&
    metadata.deletionGracePeriodSeconds === old.deletionGracePeriodSeconds &&
    sameJson(metadata.annotations, old.annotations) &&
    sameJson(metadata.labels, old.labels)
  );
}
