import { Node } from "../api/core/v1/node/node.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { PodGroup } from "../api/scheduling/v1alpha2/pod-group.ts";
import { sleep } from "../base/clock.ts";
import { onAbort } from "../base/on-abort.ts";
import type { Informer } from "../client/informer/informer-options.ts";
import type { RunnableContext } from "../controller-runtime/manager/manager-options.ts";
import { BackgroundTasks } from "./background-tasks.ts";
import { reportCache } from "./cache/cache-report.ts";
import type { NodeSnapshot } from "./cache/node-snapshot.ts";
import { SchedulerCache } from "./cache/scheduler-cache.ts";
import { addEventHandlers, hasEnded } from "./event-handlers.ts";
import type { Extender } from "./extenders/extender.ts";
import { Extenders, extenderName } from "./extenders/extenders.ts";
import { FailedAttempts, type Failure } from "./failed-attempts.ts";
import { CycleState } from "./framework/cycle-state.ts";
import { FitError } from "./framework/diagnosis.ts";
import { Framework, type FrameworkDependencies } from "./framework/framework.ts";
import { assignedTo } from "./framework/pod-info.ts";
import type { QueuedPod } from "./framework/queued-pod.ts";
import type { Registry } from "./framework/registry.ts";
import { errorStatus, statusMessage } from "./framework/status.ts";
import { PodsInPreBind, WaitingPods } from "./framework/waiting-pods.ts";
import type { KubeSchedulerConfiguration } from "./parse-configuration.ts";
import { type PodAttempt, PodBinder } from "./pod-binder.ts";
import { type FoundNode, PodGroupCycle } from "./pod-groups/pod-group-cycle.ts";
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
  readonly #binder: PodBinder;
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
    this.#binder = new PodBinder({
      ...{ ctx, metrics: this.#metrics, cache: this.#cache, queue: this.#queue },
      ...{ waitingPods: this.#waitingPods, podsInPreBind: this.#podsInPreBind },
      ...{ extenders: this.#extenders, failures: this.#failures, tasks: this.#tasks },
      current: (key) => this.#currentPod(key),
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
    this.#binder.start({ ...attempt, result, pod: assignedTo(result.node, attempt.queued.info) });
    return undefined;
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
        reserve: (found) => this.#binder.reserve(found),
        takeBack: (found) => void this.#binder.takeBack(found),
        bind: (found) => this.#binder.start(found),
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
