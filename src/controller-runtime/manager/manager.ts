import { Lease } from "../../api/coordination/v1/lease.ts";
import { DeadlineExceeded, ticksOf, withDeadline } from "../../base/clock.ts";
import { seededEntropy } from "../../base/entropy.ts";
import { errorMessage } from "../../base/error-message.ts";
import { type Log, noLog } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import { aborted, onAbort } from "../../base/on-abort.ts";
import { type Client, type ClientOptions, createClient } from "../../client/client.ts";
import { createInformers, type Informers } from "../../client/informer/informers.ts";
import type { Transport } from "../../client/transport.ts";
import { apiVersionOf } from "../../schema/language/kind.ts";
import { formatDuration } from "../../schema/values/duration.ts";
import { type Cache, ManagerCache } from "../cache/cache.ts";
import { ownWritesIn } from "../cache/own-writes-in.ts";
import { fenced } from "../election/fence.ts";
import { createLeaderElection } from "../election/leader-election.ts";
import type { LeaderElection } from "../election/leader-election-options.ts";
import type { Controller } from "../reconcile/controller-definition.ts";
import { type ControllerSurroundings, RunningController } from "../reconcile/running-controller.ts";
import { createTrace, type ReconcileTrace, type TraceFilter } from "../reconcile/trace.ts";
import { type HealthReport, healthReport } from "./health.ts";
import type {
  LeaderOptions,
  Manager,
  ManagerOptions,
  Runnable,
  RunnableContext,
} from "./manager-options.ts";
import { type ManagerPart, managerPart } from "./manager-part.ts";
import { StopSource } from "./stop-source.ts";

/** A manager that does nothing before `run`. */
export function createManager(options: ManagerOptions): Manager {
  return new ControllerManager(options);
}

class ControllerManager implements Manager {
  readonly #options: ManagerOptions;
  readonly #metrics: Metrics;
  readonly #log: Log;
  readonly #ticks: () => number;
  readonly #trace;
  readonly #election: LeaderElection | undefined;
  /** The parts by account, for the leader and for all managers. */
  readonly #parts = new Map<string, ManagerPart>();
  readonly #plain: ManagerPart;
  readonly #leading: ManagerPart;
  readonly #informers: Informers;
  readonly #cache: ManagerCache;
  readonly #controllers: Controller[] = [];
  readonly #runnables: Runnable[] = [];
  readonly #running = new Map<string, RunningController>();
  /** Runnables that have not ended, and those of the stage `server`, which end last. */
  readonly #tasks = new Set<Promise<void>>();
  readonly #serverTasks = new Set<Promise<void>>();
  /** Aborts when `run` is to end, with the error if there is one. */
  readonly #stop = new StopSource();
  /** Aborts when reconciles that are still running are cancelled. */
  readonly #giveUp = new StopSource();
  readonly #servers = new StopSource();
  #stage: "new" | "starting" | "always" | "leader" | "stopping" = "new";
  #areCachesReady: boolean = false;

  constructor(options: ManagerOptions) {
    const { clock, transport, log = noLog, random, host = usualHost, leaderElection } = options;
    this.#options = options;
    this.#metrics = options.metrics ?? new MetricsRegistry();
    this.#log = log;
    this.#ticks = options.ticks ?? ticksOf(clock);
    this.#trace = createTrace(clock, options.traceCapacity);
    this.#election = leaderElection && this.#elector(leaderElection, host);
    this.#plain = this.#partOf(transport);
    this.#leading = this.#election ? this.#partOf(fenced(transport, this.#election)) : this.#plain;
    this.#informers = createInformers({
      ...options.informers,
      client: this.#plain.client,
      clock,
      random,
      log,
      metrics: this.#metrics,
    });
    this.#cache = new ManagerCache({ informers: this.#informers, scopes: options.cache });
    for (const one of options.controllers ?? []) this.add(one);
    for (const one of options.runnables ?? []) this.add(one);
  }

  get client(): Client {
    return this.#leading.client;
  }

  get cache(): Cache {
    return this.#cache.reader(this.#giveUp.signal);
  }

  get isLeader(): boolean {
    return this.#election ? this.#election.isLeader : this.#stage === "leader";
  }

  get isIdle(): boolean {
    return [...this.#running.values()].every(({ isIdle }) => isIdle);
  }

  health(): HealthReport {
    return healthReport({
      ping: () => {},
      ...(this.#election && { leaderElection: () => this.#election?.check(20_000) }),
      ...this.#options.healthChecks,
    });
  }

  ready(): HealthReport {
    return healthReport({
      started: () => {
        if (this.#stage === "new" || this.#stage === "starting") throw new Error("not started");
        if (this.#stage === "stopping") throw new Error("stopping");
      },
      caches: () => {
        if (!this.#areCachesReady) throw new Error("caches are not synced");
      },
      ...this.#options.readyChecks,
    });
  }

  metricsText(): string {
    return this.#metrics instanceof MetricsRegistry ? this.#metrics.text() : "";
  }

  trace(filter?: TraceFilter): readonly ReconcileTrace[] {
    return this.#trace.list(filter);
  }

  add(one: Controller | Runnable): void {
    if (this.#stage === "stopping") throw new Error("the manager is stopping");
    if ("run" in one) {
      this.#runnables.push(one);
      this.#startRunnables([one]);
      return;
    }
    if (this.#controllers.some(({ name }) => name === one.name))
      throw new Error(
        `controller with name ${one.name} already exists. Controller names must be unique to avoid multiple controllers reporting the same metric`,
      );
    this.#controllers.push(one);
    this.#startControllers([one]).catch((error: unknown) => this.#fail(error));
  }

  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    if (this.#stage !== "new") throw new Error("manager already started");
    this.#stage = "starting";
    const unfollow = onAbort(signal, () => this.#stop.abort());
    const elected = new AbortController();
    let election: Promise<void> = Promise.resolve();
    try {
      this.#startRunnables(this.#runnables);
      await this.#warm(this.#controllers);
      this.#areCachesReady = true;
      await this.#reach("always");
      election = this.#lead(elected.signal);
      await aborted(this.#stop.signal);
    } catch (error) {
      this.#fail(error);
    }
    try {
      await this.#end(election, elected);
    } finally {
      unfollow();
    }
    const { reason } = this.#stop.signal;
    if (reason instanceof ManagerFault) throw reason.cause;
  }

  /** Ends the run with an error. */
  #fail(error: unknown): void {
    if (this.#stop.signal.aborted) {
      if (this.#stage !== "stopping") return;
      this.#log.error("error received after stop sequence was engaged", error);
      return;
    }
    this.#stop.abort(new ManagerFault(error));
  }

  async #warm(controllers: readonly Controller[]): Promise<void> {
    const warm = (one: Controller) => this.#runningOf(one).warm(this.#stop.another());
    await Promise.all(controllers.map(warm)).catch((error: unknown) => {
      if (!this.#stop.signal.aborted) throw error;
    });
  }

  /** Starts the controllers and runnables of a stage. */
  async #reach(stage: "always" | "leader"): Promise<void> {
    if (this.#stop.signal.aborted) return;
    this.#stage = stage;
    this.#startRunnables(this.#runnables.filter((one) => stageOf(one) === stage));
    await this.#startControllers(this.#controllers);
  }

  /** Enters the leader stage once this manager is the leader. */
  async #lead(signal: AbortSignal): Promise<void> {
    const lead = (): void => {
      this.#reach("leader").catch((error: unknown) => this.#fail(error));
    };
    if (!this.#election) {
      lead();
      return;
    }
    try {
      await this.#election.run({
        signal,
        lead: () => {
          this.#tellOfLeadership();
          lead();
        },
      });
    } catch (error) {
      // Another manager may lead already: running reconciles are cancelled at once.
      this.#giveUp.abort(error);
      this.#fail(error);
    }
  }

  #startRunnables(runnables: readonly Runnable[]): void {
    for (const one of runnables) {
      if (!this.#isReached(stageOf(one)) || this.#started.has(one)) continue;
      this.#started.add(one);
      const isServer = stageOf(one) === "server";
      const signal = (isServer ? this.#servers : this.#stop).another();
      const tasks = isServer ? this.#serverTasks : this.#tasks;
      const task: Promise<void> = Promise.resolve()
        .then(() => one.run(signal, this.#contextOf(one)))
        .catch((error: unknown) => {
          if (!signal.aborted) this.#fail(error);
        })
        .finally(() => tasks.delete(task));
      tasks.add(task);
    }
  }
  readonly #started = new Set<Runnable | Controller>();

  async #startControllers(controllers: readonly Controller[]): Promise<void> {
    const due = controllers.filter((one) => {
      const stage = this.#needsLeader(one) ? "leader" : "always";
      return this.#isReached(stage) && !this.#started.has(one);
    });
    const started = Promise.all(
      due.map(async (one) => {
        this.#started.add(one);
        const running = this.#runningOf(one);
        await running.start(this.#stop.another()).catch((error: unknown) => {
          if (!this.#stop.signal.aborted) throw error;
        });
      }),
    );
    if (!this.#options.toleratesUnservedKinds) await started;
    else started.catch((error: unknown) => this.#fail(error));
  }

  #isReached(stage: "server" | "always" | "leader"): boolean {
    const reached = { new: -1, starting: 0, always: 1, leader: 2, stopping: -1 }[this.#stage];
    return { server: 0, always: 1, leader: 2 }[stage] <= reached;
  }

  #runningOf(one: Controller): RunningController {
    let running = this.#running.get(one.name);
    if (!running) {
      running = new RunningController(one, this.#surroundings(one));
      this.#running.set(one.name, running);
    }
    return running;
  }

  /** Stops controllers, caches, events, the leadership and servers, in this order. */
  async #end(election: Promise<void>, elected: AbortController): Promise<void> {
    const { clock, gracePeriodMs = 30_000 } = this.#options;
    this.#stage = "stopping";
    const since = this.#ticks();
    const ended = Promise.all([
      ...this.#tasks,
      ...Array.from(this.#running.values(), (one) => one.stop()),
    ]);
    let fault: Error | undefined;
    const work = { clock, ms: gracePeriodMs, signal: this.#giveUp.signal };
    await withDeadline(work, async () => void (await ended)).catch((error: unknown) => {
      if (!(error instanceof DeadlineExceeded)) return;
      const period = formatDuration(BigInt(gracePeriodMs) * 1_000_000n);
      fault = new Error(
        `failed waiting for all runnables to end within grace period of ${period}: context deadline exceeded`,
      );
    });
    this.#giveUp.abort(new Error("the manager has ended"));
    this.#cache.close();
    const left = Math.max(0, gracePeriodMs - (this.#ticks() - since));
    const parts = new Set([this.#plain, this.#leading, ...this.#parts.values()]);
    await Promise.all(Array.from(parts, (part) => part.closeEvents(left)));
    elected.abort();
    await election;
    this.#servers.abort();
    const rest = Math.max(0, gracePeriodMs - (this.#ticks() - since));
    await withDeadline(
      { clock, ms: rest },
      async () => void (await Promise.all(this.#serverTasks)),
    ).catch((error: unknown) =>
      this.#log.warn("servers did not end in time", { error: errorMessage(error) }),
    );
    if (fault) throw fault;
  }

  #surroundings(one: Controller): ControllerSurroundings {
    const { clock, random } = this.#options;
    const part = this.#partFor(one, this.#needsLeader(one));
    return {
      clock,
      random,
      ticks: this.#ticks,
      log: this.#log,
      metrics: this.#metrics,
      toleratesUnservedKinds: this.#options.toleratesUnservedKinds ?? false,
      cache: this.#cache,
      trace: this.#trace,
      events: part.events().recorder(one.eventSource ?? one.name),
      client: part.observed,
      ownWrites: ownWritesIn(this.#cache, {
        client: this.#plain.client,
        clock,
        timeoutMs: this.#options.ownWritesTimeoutMs,
      }),
      signal: this.#giveUp.another(),
    };
  }

  #clientOptions(): ClientOptions {
    const { clientOptions, namespace, clock } = this.#options;
    return { ...clientOptions, namespace, clock };
  }

  #contextOf(one: Runnable): RunnableContext {
    const { clock, random, accept } = this.#options;
    const part = this.#partFor(one, stageOf(one) === "leader");
    return {
      client: part.client,
      informers: this.#informers,
      events: (source) => part.events().recorder(source),
      clock,
      ticks: this.#ticks,
      random,
      log: this.#log.with({ runnable: one.name }),
      metrics: this.#metrics,
      accept,
    };
  }

  /** The part of an account, fenced by the leadership where only the leader may write. */
  #partFor({ name, account = name }: Controller | Runnable, leads: boolean): ManagerPart {
    const { transportForAccount } = this.#options;
    if (!transportForAccount || account === "") return leads ? this.#leading : this.#plain;
    const id = `${leads} ${account}`;
    let part = this.#parts.get(id);
    if (!part) {
      const transport = transportForAccount(account);
      part = this.#partOf(leads && this.#election ? fenced(transport, this.#election) : transport);
      this.#parts.set(id, part);
    }
    return part;
  }

  #partOf(transport: Transport): ManagerPart {
    const { random, host = usualHost, eventApi = "events.k8s.io" } = this.#options;
    const client = this.#clientOptions();
    return managerPart(transport, { client, random, log: this.#log, host, eventApi });
  }

  #elector({ identity, ...options }: LeaderOptions, host: string): LeaderElection {
    const { clock, random } = this.#options;
    const { transport = this.#options.transport } = options;
    return createLeaderElection({
      ...options,
      identity: identity ?? `${host}_${seededEntropy(random).uuid()}`,
      client: createClient(transport, this.#clientOptions()),
      clock,
      ticks: this.#ticks,
      random,
      log: this.#log,
      metrics: this.#metrics,
    });
  }

  #tellOfLeadership(): void {
    const { leaderElection } = this.#options;
    if (!leaderElection || !this.#election) return;
    const lease = {
      apiVersion: apiVersionOf(Lease),
      kind: Lease.kind,
      metadata: leaderElection.lease,
    };
    const note = `${this.#election.leader} became leader`;
    const event = { type: "Normal", reason: "LeaderElection", note } as const;
    this.#leading.events().recorder(this.#election.leader).record(lease, event);
  }

  #needsLeader({ needsLeader = true }: Controller): boolean {
    return needsLeader;
  }
}

const usualHost = "wherry";

/** Wraps the error that stops a manager. */
class ManagerFault {
  readonly cause: unknown;

  constructor(cause: unknown) {
    this.cause = cause;
  }
}

const stageOf = ({ stage = "leader" }: Runnable) => stage;
