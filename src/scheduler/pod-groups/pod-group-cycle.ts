import { PodGroup } from "../../api/scheduling/v1alpha2/pod-group.ts";
import type { Informer } from "../../client/informer/informer-options.ts";
import type { RunnableContext } from "../../controller-runtime/manager/manager-options.ts";
import { findCondition, withCondition } from "../../controller-runtime/objects/conditions.ts";
import {
  conflictBackoff,
  retryOnError,
} from "../../controller-runtime/objects/retry-on-conflict.ts";
import { quote } from "../../schema/values/quote.ts";
import { rejectedOn, runPermit } from "../binding-cycle.ts";
import type { SchedulerCache } from "../cache/scheduler-cache.ts";
import type { FailedAttempts } from "../failed-attempts.ts";
import type { Framework } from "../framework/framework.ts";
import { assignedTo } from "../framework/pod-info.ts";
import type { QueuedPod } from "../framework/queued-pod.ts";
import { errorStatus, isRejected, type Status } from "../framework/status.ts";
import type { Binding, PodAttempt } from "../pod-binder.ts";
import { isRetriable } from "../pod-status-writer.ts";
import type { SchedulingQueue } from "../queue/scheduling-queue.ts";
import type { ScheduleResult } from "../schedule-pod.ts";
import { type GroupMetrics, groupMetrics } from "./group-metrics.ts";
import {
  endsGroup,
  type GroupOutcome,
  groupCondition,
  groupOutcome,
  type PodOutcome,
  podFailure,
  resultOf,
} from "./group-outcome.ts";
import { groupKeyOf } from "./pod-group-states.ts";

/** Where a pod fits, or why it does not. */
export type FoundNode =
  | { readonly result: ScheduleResult }
  | { readonly status: Status; readonly nominatedNode?: string | undefined };

/** The steps that pods of groups have in common with others. */
export interface PodSteps {
  /** Begins an attempt; undefined if the pod is no longer to be scheduled. */
  begin(queued: QueuedPod, framework: Framework): PodAttempt | undefined;
  /** Finds the node for a pod, and runs postFilter if there is none. */
  find(attempt: PodAttempt): Promise<FoundNode>;
  /** Assumes a pod on its node and reserves what it needs there; returns why that failed. */
  reserve(found: Binding): Status | undefined;
  /** Takes that back. */
  takeBack(found: Binding): void;
  /** Assumes and reserves again, waits for permission, and binds the pod. */
  bind(found: Binding): void;
}

export interface PodGroupCycleOptions {
  readonly ctx: Pick<
    RunnableContext,
    "client" | "clock" | "random" | "ticks" | "log" | "metrics" | "informers"
  >;
  readonly profiles: ReadonlyMap<string, Framework>;
  readonly cache: SchedulerCache;
  readonly queue: SchedulingQueue;
  readonly failures: FailedAttempts;
  readonly groups: Informer<PodGroup>;
  readonly steps: PodSteps;
  readonly background: (task: (signal: AbortSignal) => Promise<void>) => void;
}

interface TriedPod {
  readonly attempt: PodAttempt;
  readonly found?: Binding;
  readonly outcome: PodOutcome;
}

/**
 * Schedules all pending pods of a group in one attempt: each is tried with those before it on their nodes, then all of
 * them are taken back, and bound only if the group as a whole fits.
 */
export class PodGroupCycle {
  readonly #options: PodGroupCycleOptions;
  readonly #metrics: GroupMetrics;

  constructor(options: PodGroupCycleOptions) {
    this.#options = options;
    this.#metrics = groupMetrics(options.ctx.metrics);
  }

  /** Schedules the group of a pod that the queue has given. */
  async run(first: QueuedPod): Promise<void> {
    const { profiles, failures, ctx } = this.#options;
    const key = groupKeyOf(first.info.pod) ?? "";
    const since = ctx.ticks();
    const members = this.#members(first, key);
    const names = [...new Set(members.map(({ info }) => info.pod.spec.schedulerName ?? ""))];
    const framework = profiles.get(names[0] ?? "");
    if (!framework) {
      for (const { info } of members) this.#options.queue.done(info.uid);
      return;
    }
    if (names.length > 1) {
      const [a = "", b = ""] = names;
      const message = `all pods in a single pod group should have the same .spec.schedulerName set, got: ${quote(a)} and ${quote(b)}`;
      const status = errorStatus(new Error(message));
      for (const queued of members) {
        const own = profiles.get(queued.info.pod.spec.schedulerName ?? "") ?? framework;
        failures.fail({ framework: own, queued, status, nominatedNode: "", since });
      }
      return;
    }
    const tried = await this.#try(members, framework);
    if (tried.length === 0) return;
    const outcome = groupOutcome(tried.map((one) => one.outcome));
    this.#metrics.algorithmSeconds.observe((ctx.ticks() - since) / 1000);
    this.#submit(tried, outcome);
    const result = resultOf(outcome);
    this.#metrics.attempts.of(result, framework.name).add(1);
    this.#metrics.attemptSeconds.of(result, framework.name).observe((ctx.ticks() - since) / 1000);
    this.#writeCondition(key, outcome);
  }

  /** The pending pods of the group: the highest priority first, then the one that waits longest. */
  #members(first: QueuedPod, key: string): readonly QueuedPod[] {
    const { cache, queue } = this.#options;
    const others = (cache.podGroups.get(key)?.unscheduled() ?? [])
      .filter(({ metadata }) => metadata.uid !== first.info.uid)
      .map((pod) => queue.take(pod))
      .filter((queued) => queued !== undefined);
    return [first, ...others].sort(
      (a, b) =>
        b.info.priority - a.info.priority || (a.initialAttemptAt ?? 0) - (b.initialAttemptAt ?? 0),
    );
  }

  /** Tries one pod after the other; pods behind one that met an error have no outcome of their own. */
  async #try(members: readonly QueuedPod[], framework: Framework): Promise<readonly TriedPod[]> {
    const { steps } = this.#options;
    const attempts = members
      .map((queued) => steps.begin(queued, framework))
      .filter((attempt) => attempt !== undefined);
    const tried: TriedPod[] = [];
    let hasEnded = false;
    for (const attempt of attempts) {
      const last = tried.at(-1)?.outcome;
      hasEnded ||= last !== undefined && endsGroup(last);
      tried.push(hasEnded ? { attempt, outcome: untried } : await this.#tryPod(attempt));
    }
    for (const { found } of tried.toReversed()) if (found) this.#takeBack(found);
    return tried;
  }

  async #tryPod(attempt: PodAttempt): Promise<TriedPod> {
    const { steps } = this.#options;
    attempt.state.isTrial = true;
    const at = await steps.find(attempt);
    const failed = "status" in at ? at : undefined;
    const node = "result" in at ? at.result.node : (at.nominatedNode ?? "");
    if (failed && !node) return { attempt, outcome: { ...failed, needsPreemption: false } };
    const result = "result" in at ? at.result : { node, evaluatedNodes: 0, feasibleNodes: 0 };
    const found = { ...attempt, result, pod: assignedTo(node, attempt.queued.info) };
    const rejected = (status: Status): TriedPod => ({
      attempt,
      outcome: { status, nominatedNode: "", needsPreemption: false },
    });
    const unreserved = steps.reserve(found);
    if (unreserved) return rejected(unreserved);
    const { framework, state, queued } = attempt;
    const permit = runPermit(framework, state, { pod: found.pod, node });
    if (permit.status) {
      this.#takeBack(found);
      const { status } = permit;
      return rejected(isRejected(status) ? rejectedOn(node, queued.info, status) : status);
    }
    const needsPreemption = failed !== undefined;
    return { attempt, found, outcome: { ...failed, needsPreemption, wait: permit.wait } };
  }

  #takeBack(found: Binding): void {
    const { steps, queue } = this.#options;
    const { info } = found.queued;
    steps.takeBack(found);
    // Reserving ended the nomination.
    if (info.pod.status.nominatedNodeName) queue.nominator.add(info);
  }

  #submit(tried: readonly TriedPod[], group: GroupOutcome): void {
    const { steps, failures } = this.#options;
    for (const { attempt, found, outcome } of tried) {
      const failure = podFailure(outcome, group, found?.result.node ?? "");
      attempt.state.isTrial = false;
      if (failure) failures.fail({ ...attempt, ...failure });
      else if (found) steps.bind(found);
    }
  }

  /** A group that was scheduled once stays so, whatever comes of later pods. */
  #writeCondition(key: string, outcome: GroupOutcome): void {
    const { groups, background, ctx } = this.#options;
    const slash = key.indexOf("/");
    const name = { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
    const group = groups.get(name);
    if (!group) return;
    const condition = groupCondition(outcome);
    const { conditions = [] } = group.status;
    if (findCondition(conditions, condition.type)?.status === "True" && condition.status !== "True")
      return;
    const next = { ...condition, observedGeneration: group.metadata.generation };
    const changed = withCondition(conditions, next, ctx.clock);
    if (changed === conditions) return;
    const written = { conditions: changed.filter((one) => !conditions.includes(one)) };
    const { client, clock, random, log } = ctx;
    background(async (signal) => {
      await retryOnError(
        () =>
          client.patch(PodGroup, name, { strategic: { status: written } } as never, {
            subresource: "status",
            signal,
          }),
        { clock, random, backoff: conflictBackoff, signal, isRetriable },
      ).catch((error: unknown) => {
        if (!signal.aborted) log.error("writing the status of a pod group failed", error, { key });
      });
    });
  }
}

const untried: PodOutcome = { needsPreemption: false };
