import type { Pod } from "../api/core/v1/pod/pod.ts";
import type { RunnableContext } from "../controller-runtime/manager/manager-options.ts";
import type { BackgroundTasks } from "./background-tasks.ts";
import {
  type PodAndNode,
  rejectedOn,
  runBind,
  runPermit,
  runPostBind,
  runPreBind,
  runPreBindPreFlights,
  runReserve,
  runUnreserve,
} from "./binding-cycle.ts";
import type { SchedulerCache } from "./cache/scheduler-cache.ts";
import type { Extenders } from "./extenders/extenders.ts";
import { countAttempt, type FailedAttempts } from "./failed-attempts.ts";
import { assignedPodDelete } from "./framework/cluster-event.ts";
import type { CycleState } from "./framework/cycle-state.ts";
import type { Framework } from "./framework/framework.ts";
import type { BindTarget } from "./framework/plugin.ts";
import type { PodInfo } from "./framework/pod-info.ts";
import type { QueuedPod } from "./framework/queued-pod.ts";
import { errorStatus, isRejected, type Status, statusMessage } from "./framework/status.ts";
import type { PodsInPreBind, WaitingPods } from "./framework/waiting-pods.ts";
import type { SchedulingQueue } from "./queue/scheduling-queue.ts";
import type { ScheduleResult } from "./schedule-pod.ts";
import type { SchedulerMetrics } from "./scheduler-metrics.ts";

/** An attempt to schedule a pod. */
export interface PodAttempt {
  readonly framework: Framework;
  readonly state: CycleState;
  readonly queued: QueuedPod;
  /** When it began, in ticks. */
  readonly since: number;
}

/** A pod that is being bound: as if it were already on its node. */
export interface Binding extends PodAttempt {
  readonly pod: PodInfo;
  readonly result: ScheduleResult;
}

export interface PodBinderOptions {
  readonly ctx: Pick<RunnableContext, "ticks" | "clock" | "log">;
  readonly metrics: SchedulerMetrics;
  readonly cache: SchedulerCache;
  readonly queue: SchedulingQueue;
  readonly waitingPods: WaitingPods;
  readonly podsInPreBind: PodsInPreBind;
  readonly extenders: Extenders;
  readonly failures: FailedAttempts;
  readonly tasks: BackgroundTasks;
  /** Returns the pod as the informer has it. */
  readonly current: (key: string) => Pod | undefined;
}

/** Binds pods to the nodes that were found for them. */
export class PodBinder {
  readonly #options: PodBinderOptions;

  constructor(options: PodBinderOptions) {
    this.#options = options;
  }

  /** Binds a pod in the background: assumes it on its node, runs reserve and permit, and all that follows. */
  start(binding: Binding): void {
    const failed = this.#prepare(binding);
    if (failed) this.#options.failures.fail({ ...binding, status: failed, nominatedNode: "" });
    else this.#options.tasks.start((signal) => this.#bind(binding, signal));
  }

  /** Assumes the pod on its node and runs reserve and permit. */
  #prepare(binding: Binding): Status | undefined {
    const unreserved = this.reserve(binding);
    if (unreserved) return unreserved;
    const { framework, state, queued, pod, result } = binding;
    const at: PodAndNode = { pod, node: result.node };
    if (framework.lists.permit.length > 0) {
      const permit = runPermit(framework, state, at);
      if (permit.status) {
        this.takeBack(binding);
        return isRejected(permit.status)
          ? rejectedOn(result.node, queued.info, permit.status)
          : permit.status;
      }
      if (permit.waits.size > 0) this.#options.waitingPods.add(pod, permit.waits);
    }
    this.#activate(state);
    return undefined;
  }

  /** Assumes a pod on its node and runs reserve; takes that back if it fails. */
  reserve(binding: Binding): Status | undefined {
    const { framework, state, queued, pod, result } = binding;
    const at: PodAndNode = { pod, node: result.node };
    try {
      this.#options.cache.assume(pod);
    } catch (error) {
      return errorStatus(error);
    }
    this.#options.queue.nominator.delete(pod.uid);
    const outcome =
      framework.lists.reserve.length > 0 ? runReserve(framework, state, at) : undefined;
    if (!outcome) return undefined;
    this.takeBack(binding);
    return isRejected(outcome) ? rejectedOn(result.node, queued.info, outcome) : outcome;
  }

  /** Unreserves and forgets a pod; returns whether it was still assumed. */
  takeBack({ framework, state, pod, result }: Binding): boolean {
    const at: PodAndNode = { pod, node: result.node };
    if (framework.lists.reserve.length > 0) runUnreserve(framework, state, at);
    try {
      this.#options.cache.forget(pod);
      return true;
    } catch (error) {
      this.#options.ctx.log.error("forgetting an assumed pod failed", error, { pod: pod.key });
      return false;
    }
  }

  async #bind(binding: Binding, signal: AbortSignal): Promise<void> {
    const { framework, pod, queued, since } = binding;
    const goroutines = this.#options.metrics.goroutines.of("binding");
    goroutines.add(1);
    const outcome = await this.#bindingCycle(binding, signal);
    goroutines.add(-1);
    if (!outcome) return;
    const forgotten = this.takeBack(binding);
    const failure = { framework, queued, status: outcome, nominatedNode: "", since };
    // The deletion of the assumed pod may make others schedulable, but not the pod itself.
    const gone = { event: assignedPodDelete, old: pod.pod };
    if (forgotten && !isRejected(outcome)) this.#options.queue.move(gone);
    this.#options.failures.fail(failure);
    if (forgotten && isRejected(outcome))
      this.#options.queue.move(gone, ({ uid }) => uid !== pod.uid);
  }

  async #bindingCycle(binding: Binding, signal: AbortSignal): Promise<Status | undefined> {
    const { framework, state, pod, result } = binding;
    const { node } = result;
    const { uid } = pod;
    const preFlight =
      framework.lists.preBind.length > 0
        ? runPreBindPreFlights(framework, state, { pod, node })
        : nothingToDo;
    if (preFlight && preFlight.code !== "Skip") return preFlight;
    if (!preFlight || this.#options.waitingPods.get(uid)) {
      // `preBind` may take long: write the nominated node for other components.
      await this.#options.failures.patch(pod.pod, { nominatedNode: node }, signal);
      const outcome = await this.#permitted(pod, node);
      if (outcome) return outcome;
    }
    // From here on, only an error can end the binding.
    this.#options.queue.done(uid);
    if (!preFlight) {
      const outcome = await this.#preBind(binding, signal);
      if (outcome) return outcome;
    }
    const outcome = await this.#bindTo({ node, signal }, binding);
    if (outcome) return outcome;
    this.#bound(binding);
    return undefined;
  }

  /** Extenders that bind pods come first. */
  async #bindTo(
    target: BindTarget,
    { framework, state, pod }: Binding,
  ): Promise<Status | undefined> {
    try {
      if (await this.#options.extenders.bind(pod, target.node)) return undefined;
    } catch (error) {
      return errorStatus(error);
    }
    return runBind(framework, state, { pod, target });
  }

  async #permitted(pod: PodInfo, node: string): Promise<Status | undefined> {
    if (!this.#options.waitingPods.get(pod.uid)) return undefined;
    const { ticks } = this.#options.ctx;
    const since = ticks();
    const outcome = await this.#options.waitingPods.decision(pod.uid);
    this.#options.metrics.permitWaitSeconds
      .of(outcome?.code ?? "Success")
      .observe((ticks() - since) / 1000);
    if (!outcome) return undefined;
    if (isRejected(outcome)) return rejectedOn(node, pod, outcome);
    const error = new Error(`waiting on permit for pod: ${statusMessage(outcome)}`);
    return errorStatus(error, outcome.plugin);
  }

  async #preBind(
    { framework, state, pod, result }: Binding,
    ending: AbortSignal,
  ): Promise<Status | undefined> {
    const own = new AbortController();
    const signal = AbortSignal.any([ending, own.signal]);
    this.#options.podsInPreBind.add(pod.uid, own);
    try {
      const outcome = await runPreBind(framework, state, {
        pod,
        target: { node: result.node, signal },
      });
      if (outcome) return own.signal.aborted ? errorStatus(own.signal.reason) : outcome;
      return this.#options.podsInPreBind.finish(pod.uid)
        ? undefined
        : errorStatus(own.signal.reason);
    } finally {
      this.#options.podsInPreBind.remove(pod.uid);
    }
  }

  #bound({ framework, state, queued, pod, result, since }: Binding): void {
    const { ticks, clock } = this.#options.ctx;
    const { node } = result;
    framework.handle.events.record(pod.pod, {
      type: "Normal",
      reason: "Scheduled",
      action: "Binding",
      note: `Successfully assigned ${pod.key} to ${node}`,
    });
    countAttempt(this.#options.metrics, "scheduled", {
      profile: framework.name,
      ms: ticks() - since,
    });
    this.#options.metrics.podAttempts.observe(queued.attempts);
    if (queued.initialAttemptAt !== undefined)
      this.#options.metrics.sliSeconds
        .of(queued.attempts >= 15 ? "15+" : String(queued.attempts))
        .observe((clock.now() - queued.initialAttemptAt) / 1000);
    if (queued.wasFlushed) this.#options.metrics.scheduledAfterFlush.add(1);
    if (framework.lists.postBind.length > 0) runPostBind(framework, state, { pod, node });
    this.#activate(state);
  }

  #activate({ podsToActivate }: CycleState): void {
    if (podsToActivate.size === 0) return;
    this.#options.queue.activate(
      Array.from(podsToActivate.values(), ({ name, namespace }) => ({
        metadata: this.#options.current(`${namespace}/${name}`)?.metadata ?? { name, namespace },
      })),
    );
    podsToActivate.clear();
  }
}

const nothingToDo: Status = { code: "Skip", reasons: [] };
