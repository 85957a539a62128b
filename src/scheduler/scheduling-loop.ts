import { Node } from "../api/core/v1/node/node.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { PodGroup } from "../api/scheduling/v1alpha2/pod-group.ts";
import { sleep } from "../base/clock.ts";
import { onAbort } from "../base/on-abort.ts";
import type { Informer } from "../client/informer/informer-options.ts";
import type { RunnableContext } from "../controller-runtime/manager/manager-options.ts";
import { BackgroundTasks } from "./background-tasks.ts";
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
import { reportCache } from "./cache/cache-report.ts";
import type { NodeSnapshot } from "./cache/node-snapshot.ts";
import { SchedulerCache } from "./cache/scheduler-cache.ts";
import { addEventHandlers, hasEnded } from "./event-handlers.ts";
import type { Extender } from "./extenders/extender.ts";
import { Extenders, extenderName } from "./extenders/extenders.ts";
import { countAttempt, FailedAttempts, type Failure } from "./failed-attempts.ts";
import { assignedPodDelete } from "./framework/cluster-event.ts";
import { CycleState } from "./framework/cycle-state.ts";
import { FitError } from "./framework/diagnosis.ts";
import { Framework, type FrameworkDependencies } from "./framework/framework.ts";
import type { BindTarget } from "./framework/plugin.ts";
import { assignedTo, type PodInfo } from "./framework/pod-info.ts";
import type { QueuedPod } from "./framework/queued-pod.ts";
import type { Registry } from "./framework/registry.ts";
import { errorStatus, isRejected, type Status, statusMessage } from "./framework/status.ts";
import { PodsInPreBind, WaitingPods } from "./framework/waiting-pods.ts";
import type { KubeSchedulerConfiguration } from "./parse-configuration.ts";
import {
  type FoundNode,
  type PodAttempt,
  PodGroupCycle,
  type PodOnFoundNode,
} from "./pod-groups/pod-group-cycle.ts";
import { QueueingHints } from "./queue/queueing-hints.ts";
import { SchedulingQueue } from "./queue/scheduling-queue.ts";
import { NoNodesError, PodScheduler, type ScheduleResult } from "./schedule-pod.ts";
import { schedulerMetrics } from "./scheduler-metrics.ts";

export interface SchedulingLoopOptions {
  readonly registry: Registry;
  readonly extenders: readonly Extender[];
  readonly ctx: RunnableContext;
  /** The feature gates that are on, of those that have an effect. */
  readonly features: ReadonlySet<string>;
  /** Yields to other work between pods. Default: a timer of the clock. */
  readonly yieldTurn: (() => Promise<void>) | undefined;
}

/** A pod that is being bound: as if it were already on its node. */
type Binding = PodOnFoundNode;

/** Schedules pods of all profiles, one after the other, and binds them beside that. */
export class SchedulingLoop {
  readonly #ctx: RunnableContext;
  readonly #yieldTurn: (signal: AbortSignal) => Promise<void>;
  readonly #metrics;
  readonly #cache = new SchedulerCache();
  readonly #snapshot: NodeSnapshot = this.#cache.newSnapshot();
  readonly #profiles = new Map<string, Framework>();
  readonly #queue: SchedulingQueue;
  readonly #podScheduler: PodScheduler;
  readonly #waitingPods: WaitingPods;
  readonly #podsInPreBind = new PodsInPreBind();
  readonly #extenders: Extenders;
  readonly #hints: QueueingHints;
  readonly #pods: Informer<Pod>;
  readonly #nodes: Informer<Node>;
  readonly #informers: Informer<unknown>[] = [];
  readonly #tasks: BackgroundTasks;
  readonly #failures: FailedAttempts;
  /** Undefined where pods of groups are scheduled one by one. */
  readonly #groupCycle: PodGroupCycle | undefined;
  readonly #features: ReadonlySet<string>;
  #wake: () => void = () => {};

  constructor(
    configuration: KubeSchedulerConfiguration,
    { registry, ctx, features, yieldTurn, extenders }: SchedulingLoopOptions,
  ) {
    const { clock, random, log } = ctx;
    this.#ctx = ctx;
    this.#features = features;
    this.#tasks = new BackgroundTasks(ctx.log);
    this.#yieldTurn = yieldTurn ?? ((signal) => sleep(clock, 0, signal));
    this.#metrics = schedulerMetrics(ctx.metrics);
    this.#extenders = new Extenders(extenders, log);
    this.#waitingPods = new WaitingPods(clock);
    this.#pods = this.#informer(Pod);
    this.#nodes = this.#informer(Node);
    for (const profile of configuration.profiles ?? []) {
      const framework = new Framework(profile, registry, this.#dependencies());
      this.#profiles.set(framework.name, framework);
    }
    this.#hints = new QueueingHints(this.#profiles, {
      metrics: this.#metrics,
      ticks: ctx.ticks,
      onFault: (error, plugin) => log.error("queueing hint failed", error, { plugin }),
      others: this.#extenders.size > 0 ? [extenderName] : [],
    });
    const [first] = this.#profiles.values();
    const [sort] = first?.lists.queueSort ?? [];
    if (!sort) throw new Error("at least one profile is required");
    this.#queue = new SchedulingQueue({
      clock,
      metrics: this.#metrics,
      hints: this.#hints,
      less: (a, b) => sort.less(a, b),
      preEnqueue: (name) => this.#profiles.get(name)?.lists.preEnqueue ?? [],
      initialBackoffMs: (configuration.podInitialBackoffSeconds ?? 1) * 1000,
      maxBackoffMs: (configuration.podMaxBackoffSeconds ?? 10) * 1000,
      maxUnschedulableMs: 5 * 60_000,
      current: (key) => this.#currentPod(key),
      onReady: () => this.#wake(),
    });
    this.#podScheduler = new PodScheduler({
      snapshot: this.#snapshot,
      random,
      percentageOfNodesToScore: configuration.percentageOfNodesToScore ?? 0,
      extenders: this.#extenders,
    });
    this.#failures = new FailedAttempts({
      ctx,
      metrics: this.#metrics,
      queue: this.#queue,
      current: (key) => this.#currentPod(key),
      background: (task) => this.#tasks.start(task),
    });
    if (features.has("GenericWorkload")) this.#groupCycle = this.#newGroupCycle();
    ctx.metrics.onRead(() => this.#measure());
  }

  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => {
      this.#tasks.abort();
      this.#queue.close();
      this.#waitingPods.close();
      this.#wake();
    };
    if (signal.aborted) return;
    const unfollow = onAbort(signal, stop);
    try {
      await addEventHandlers({
        cache: this.#cache,
        queue: this.#queue,
        hints: this.#hints,
        profiles: this.#profiles,
        waitingPods: this.#waitingPods,
        metrics: this.#metrics,
        ticks: this.#ctx.ticks,
        schedulesGangs: this.#features.has("GangScheduling"),
        informer: (kind) => this.#informer(kind),
        signal,
      });
      await Promise.all(this.#informers.map((informer) => informer.synced({ signal })));
      await this.#loop(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      unfollow();
      stop();
    }
  }

  /** Logs what is in the cache and in the queue, and how that differs from the API. */
  report(): void {
    const isKept = (pod: Pod): boolean =>
      !hasEnded(pod) && (!!pod.spec.nodeName || this.#profiles.has(pod.spec.schedulerName ?? ""));
    reportCache({
      log: this.#ctx.log,
      cache: this.#cache,
      queue: this.#queue,
      nodes: this.#nodes.list(),
      pods: this.#pods.list().filter(isKept),
    });
  }

  /** Aborts background tasks and waits for them. */
  async close(): Promise<void> {
    this.#tasks.abort();
    await this.#tasks.ended();
    for (const framework of this.#profiles.values()) framework.close();
    this.#extenders.close();
    for (const informer of this.#informers) informer.close();
  }

  /** Schedules one pod after the other; yields to other work after a few milliseconds. */
  async #loop(signal: AbortSignal): Promise<void> {
    const { ticks } = this.#ctx;
    let turnSince = ticks();
    while (!signal.aborted) {
      const queued = this.#queue.pop();
      if (!queued) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        turnSince = ticks();
        continue;
      }
      const failing = this.#scheduleOne(queued);
      if (failing !== undefined) await failing;
      if (ticks() - turnSince < timeSliceMs) continue;
      await this.#yieldTurn(signal);
      turnSince = ticks();
    }
  }

  /** Schedules one pod, or its group; returns a promise only if extenders or postFilter run, or for a group. */
  #scheduleOne(queued: QueuedPod): Promise<void> | undefined {
    const { pod, uid } = queued.info;
    if (this.#groupCycle && pod.spec.schedulingGroup) return this.#groupCycle.run(queued);
    const framework = this.#profiles.get(pod.spec.schedulerName ?? "");
    if (!framework) {
      this.#queue.done(uid);
      return undefined;
    }
    const attempt = this.#begin(queued, framework);
    if (!attempt) return undefined;
    this.#cache.update(this.#snapshot);
    try {
      const result = this.#podScheduler.schedule(framework, attempt.state, queued.info);
      if (!(result instanceof Promise)) return this.#scheduled(result, attempt);
      return result.then(
        (chosen) => this.#scheduled(chosen, attempt),
        (error: unknown) => this.#notScheduled(error, attempt),
      );
    } catch (error) {
      return this.#notScheduled(error, attempt);
    }
  }

  /** Begins an attempt; undefined if the pod is no longer to be scheduled. */
  #begin(queued: QueuedPod, framework: Framework): PodAttempt | undefined {
    const { pod, uid, key } = queued.info;
    const isGoing = !!pod.metadata.deletionTimestamp;
    if (isGoing && !this.#cache.isAssumed(uid))
      this.#failures.recordEvent(framework, pod, `skip schedule deleting pod: ${key}`);
    if (isGoing || this.#cache.isAssumed(uid)) {
      this.#queue.done(uid);
      return undefined;
    }
    const { ticks, random } = this.#ctx;
    const since = ticks();
    return { framework, queued, since, state: new CycleState(random.next() < sampledShare) };
  }

  /** Binds a pod to the chosen node, in the background. */
  #scheduled(result: ScheduleResult, attempt: PodAttempt): undefined {
    this.#observe(attempt);
    this.#startBinding({ ...attempt, result, pod: assignedTo(result.node, attempt.queued.info) });
    return undefined;
  }

  #startBinding(binding: Binding): void {
    const failed = this.#prepare(binding);
    if (failed) this.#failures.fail({ ...binding, status: failed, nominatedNode: "" });
    else this.#tasks.start((signal) => this.#bind(binding, signal));
  }

  #observe({ since }: Pick<PodAttempt, "since">): void {
    this.#metrics.algorithmSeconds.observe((this.#ctx.ticks() - since) / 1000);
  }

  async #notScheduled(error: unknown, attempt: PodAttempt): Promise<void> {
    const failure = await this.#failureOf(error, attempt);
    this.#observe(attempt);
    this.#failures.fail({ ...attempt, ...failure });
  }

  /** Why a pod has no node; runs postFilter if none fits. */
  async #failureOf(
    error: unknown,
    { framework, state, queued }: PodAttempt,
  ): Promise<Pick<Failure, "status" | "nominatedNode">> {
    if (error instanceof NoNodesError) {
      const code = "UnschedulableAndUnresolvable";
      return { status: { code, reasons: [error.message], error }, nominatedNode: "" };
    }
    if (!(error instanceof FitError)) return { status: errorStatus(error), nominatedNode: "" };
    let nominatedNode: string | undefined = "";
    if (framework.lists.postFilter.length > 0) {
      const { diagnosis } = error;
      const helped = await framework.runPostFilters(state, queued.info, diagnosis.nodes);
      diagnosis.postFilterMessage = statusMessage(helped.status);
      nominatedNode = helped.nominatedNode;
      if (helped.status?.code === "Error")
        this.#ctx.log.error("postFilter failed", helped.status.error, { pod: queued.info.key });
    }
    return { status: { code: "Unschedulable", reasons: [error.message], error }, nominatedNode };
  }

  #newGroupCycle(): PodGroupCycle {
    return new PodGroupCycle({
      ctx: this.#ctx,
      profiles: this.#profiles,
      cache: this.#cache,
      queue: this.#queue,
      failures: this.#failures,
      groups: this.#informer(PodGroup),
      background: (task) => this.#tasks.start(task),
      steps: {
        begin: (queued, framework) => this.#begin(queued, framework),
        find: (attempt) => this.#find(attempt),
        reserve: (found) => this.#reserve(found),
        takeBack: ({ framework, state, pod, result }) =>
          void this.#takeBack(framework, state, { pod, node: result.node }),
        bind: (found) => this.#startBinding(found),
      },
    });
  }

  async #find(attempt: PodAttempt): Promise<FoundNode> {
    const { framework, state, queued } = attempt;
    this.#cache.update(this.#snapshot);
    try {
      return { result: await this.#podScheduler.schedule(framework, state, queued.info) };
    } catch (error) {
      return await this.#failureOf(error, attempt);
    } finally {
      this.#observe(attempt);
    }
  }

  /** Assumes the pod on its node and runs reserve and permit. */
  #prepare(binding: Binding): Status | undefined {
    const unreserved = this.#reserve(binding);
    if (unreserved) return unreserved;
    const { framework, state, queued, pod, result } = binding;
    const at: PodAndNode = { pod, node: result.node };
    if (framework.lists.permit.length > 0) {
      const permit = runPermit(framework, state, at);
      if (permit.status) {
        this.#takeBack(framework, state, at);
        return isRejected(permit.status)
          ? rejectedOn(result.node, queued.info, permit.status)
          : permit.status;
      }
      if (permit.waits.size > 0) this.#waitingPods.add(pod, permit.waits);
    }
    this.#activate(state);
    return undefined;
  }

  /** Assumes a pod on its node and runs reserve; takes that back if it fails. */
  #reserve({ framework, state, queued, pod, result }: Binding): Status | undefined {
    const at: PodAndNode = { pod, node: result.node };
    try {
      this.#cache.assume(pod);
    } catch (error) {
      return errorStatus(error);
    }
    this.#queue.nominator.delete(pod.uid);
    const outcome =
      framework.lists.reserve.length > 0 ? runReserve(framework, state, at) : undefined;
    if (!outcome) return undefined;
    this.#takeBack(framework, state, at);
    return isRejected(outcome) ? rejectedOn(result.node, queued.info, outcome) : outcome;
  }

  /** Unreserves and forgets a pod; returns whether it was still assumed. */
  #takeBack(framework: Framework, state: CycleState, at: PodAndNode): boolean {
    if (framework.lists.reserve.length > 0) runUnreserve(framework, state, at);
    try {
      this.#cache.forget(at.pod);
      return true;
    } catch (error) {
      this.#ctx.log.error("forgetting an assumed pod failed", error, { pod: at.pod.key });
      return false;
    }
  }

  async #bind(binding: Binding, signal: AbortSignal): Promise<void> {
    const { framework, state, pod, result, queued, since } = binding;
    const goroutines = this.#metrics.goroutines.of("binding");
    goroutines.add(1);
    const outcome = await this.#bindingCycle(binding, signal);
    goroutines.add(-1);
    if (!outcome) return;
    const forgotten = this.#takeBack(framework, state, { pod, node: result.node });
    const failure = { framework, queued, status: outcome, nominatedNode: "", since };
    // The deletion of the assumed pod may make others schedulable, but not the pod itself.
    const gone = { event: assignedPodDelete, old: pod.pod };
    if (forgotten && !isRejected(outcome)) this.#queue.move(gone);
    this.#failures.fail(failure);
    if (forgotten && isRejected(outcome)) this.#queue.move(gone, ({ uid }) => uid !== pod.uid);
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
    if (!preFlight || this.#waitingPods.get(uid)) {
      // `preBind` may take long: write the nominated node for other components.
      await this.#failures.patch(pod.pod, { nominatedNode: node }, signal);
      const outcome = await this.#permitted(pod, node);
      if (outcome) return outcome;
    }
    // From here on, only an error can end the binding.
    this.#queue.done(uid);
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
      if (await this.#extenders.bind(pod, target.node)) return undefined;
    } catch (error) {
      return errorStatus(error);
    }
    return runBind(framework, state, { pod, target });
  }

  async #permitted(pod: PodInfo, node: string): Promise<Status | undefined> {
    if (!this.#waitingPods.get(pod.uid)) return undefined;
    const { ticks } = this.#ctx;
    const since = ticks();
    const outcome = await this.#waitingPods.decision(pod.uid);
    this.#metrics.permitWaitSeconds
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
    this.#podsInPreBind.add(pod.uid, own);
    try {
      const outcome = await runPreBind(framework, state, {
        pod,
        target: { node: result.node, signal },
      });
      if (outcome) return own.signal.aborted ? errorStatus(own.signal.reason) : outcome;
      return this.#podsInPreBind.finish(pod.uid) ? undefined : errorStatus(own.signal.reason);
    } finally {
      this.#podsInPreBind.remove(pod.uid);
    }
  }

  #bound({ framework, state, queued, pod, result, since }: Binding): void {
    const { ticks, clock } = this.#ctx;
    const { node } = result;
    framework.handle.events.record(pod.pod, {
      type: "Normal",
      reason: "Scheduled",
      action: "Binding",
      note: `Successfully assigned ${pod.key} to ${node}`,
    });
    countAttempt(this.#metrics, "scheduled", { profile: framework.name, ms: ticks() - since });
    this.#metrics.podAttempts.observe(queued.attempts);
    if (queued.initialAttemptAt !== undefined)
      this.#metrics.sliSeconds
        .of(queued.attempts >= 15 ? "15+" : String(queued.attempts))
        .observe((clock.now() - queued.initialAttemptAt) / 1000);
    if (queued.wasFlushed) this.#metrics.scheduledAfterFlush.add(1);
    if (framework.lists.postBind.length > 0) runPostBind(framework, state, { pod, node });
    this.#activate(state);
  }

  #activate({ podsToActivate }: CycleState): void {
    if (podsToActivate.size === 0) return;
    this.#queue.activate(
      Array.from(podsToActivate.values(), ({ name, namespace }) => ({
        metadata: this.#currentPod(`${namespace}/${name}`)?.metadata ?? { name, namespace },
      })),
    );
    podsToActivate.clear();
  }

  #currentPod(key: string): Pod | undefined {
    const slash = key.indexOf("/");
    return this.#pods.get({ namespace: key.slice(0, slash), name: key.slice(slash + 1) });
  }

  #informer: FrameworkDependencies["informer"] = (kind, options) => {
    const informer = this.#ctx.informers.of(kind, options);
    this.#informers.push(informer as Informer<unknown>);
    return informer;
  };

  #dependencies(): FrameworkDependencies {
    const { client, clock, ticks, random, log, events } = this.#ctx;
    return {
      client,
      clock,
      ticks,
      random,
      log,
      snapshot: this.#snapshot,
      metrics: this.#metrics,
      eventsOf: events,
      informer: this.#informer,
      hasNominatedPods: () => this.#queue.nominator.size > 0,
      nominatedPods: (node) => this.#queue.nominatedPods(node),
      activate: (pods) => this.#queue.activate(pods),
      waitingPod: (uid) => this.#waitingPods.get(uid),
      waitingPods: () => this.#waitingPods.all(),
      podInPreBind: (uid) => this.#podsInPreBind.get(uid),
      background: (task) => this.#tasks.start(task),
      extenders: this.#extenders,
      features: this.#features,
      podGroups: this.#cache.podGroups,
    };
  }

  #measure(): void {
    for (const [queue, count] of Object.entries(this.#queue.sizes))
      this.#metrics.pendingPods.of(queue).set(count);
    const { nodes, pods, assumed } = this.#cache.sizes;
    this.#metrics.cacheSize.of("nodes").set(nodes);
    this.#metrics.cacheSize.of("pods").set(pods);
    this.#metrics.cacheSize.of("assumed_pods").set(assumed);
  }
}

/** The length of a time slice. */
const timeSliceMs = 5;
/** The share of cycles that record the duration of each plugin. */
const sampledShare = 0.1;
const nothingToDo: Status = { code: "Skip", reasons: [] };
