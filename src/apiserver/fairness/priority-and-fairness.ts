import type { FlowSchema } from "../../api/flowcontrol/v1/flow-schema.ts";
import { mandatoryPriorityLevels } from "../../api/flowcontrol/v1/mandatory.ts";
import type { PriorityLevelConfiguration } from "../../api/flowcontrol/v1/priority-level-configuration.ts";
import type { Clock, Timer } from "../../base/clock.ts";
import { onAbort } from "../../base/on-abort.ts";
import type { Attributes } from "../authorization/attributes.ts";
import type { FlowControlMetrics } from "../metrics/flow-control-metrics.ts";
import type { User } from "../request/identity.ts";
import { DroppedRequests } from "./dropped-requests.ts";
import { FairTurns } from "./fair-turns.ts";
import {
  adjustSeats,
  type LevelSpec,
  mostSeatsOfRequest,
  nominalSeats,
  queuingOf,
} from "./level-seats.ts";
import {
  flowDistinguisher,
  matchFlowSchema,
  orderFlowSchemas,
  type SchemaInUse,
  type SchemaOfUser,
  schemasOfUser,
} from "./match-flow-schema.ts";
import { PriorityLevel } from "./priority-level.ts";
import type { RequestDetails, SeatedRequest } from "./queue-set.ts";
import { dealHand, hashBits } from "./shuffle-sharding.ts";
import type { WorkEstimate } from "./work-estimate.ts";

export interface FairnessOptions {
  readonly clock: Clock;
  /** Milliseconds of a monotonic clock. */
  readonly ticks: () => number;
  readonly sha256: (text: string) => Uint8Array;
  /** How many requests of one seat are executed at a time, shared by all levels. */
  readonly seats: number;
  readonly metrics: FlowControlMetrics;
  /** The flow schemas and priority levels that are stored now. */
  readonly configuration: () => FlowControlConfiguration;
}

export interface FlowControlConfiguration {
  readonly schemas: readonly FlowSchema[];
  readonly levels: readonly PriorityLevelConfiguration[];
}

/** What is known of a request when it is classified. */
export interface Arrival {
  readonly attributes: Attributes;
  /** What it takes, given the most seats that its level grants to one request. */
  readonly estimate: (flow: MatchedFlow, mostSeats: number | undefined) => WorkEstimate;
  /** How long it may wait. */
  readonly waitMs: number;
  /** Aborted when nobody waits for it. */
  readonly signal: AbortSignal;
}

/** The flow schema and the priority level of a request. */
export interface MatchedFlow {
  readonly schema: { readonly name: string; readonly uid: string };
  readonly level: { readonly name: string; readonly uid: string };
}

/** A request that may be executed; `end` must be called when its execution has ended. */
export interface Admitted {
  readonly end: () => void;
}

export interface Entry {
  readonly flow: MatchedFlow;
  /** Undefined if the request is rejected; a promise if it has to wait. */
  readonly admitted: Admitted | undefined | Promise<Admitted | undefined>;
}

/** How often levels lend seats to each other. */
const adjustmentSeconds = 10;
/** How many hands are kept, so that hashes are not computed for each request. */
const mostHands = 4096;

/**
 * Queues requests by priority, and fairly among their flows. A request matches a flow schema, which names its
 * priority level; each level has a share of the server's seats, and lends those that it does not use.
 *
 * Nothing runs while there are no requests: the configuration is read, and seats are lent, when one arrives or ends.
 */
export class PriorityAndFairness {
  readonly #options: FairnessOptions;
  readonly #levels = new Map<string, PriorityLevel>();
  readonly #hands = new Map<string, readonly number[]>();
  readonly #dropped = new Map<string, DroppedRequests>();
  #schemas: readonly SchemaInUse[] = [];
  /** Those that are about a user; users of the same credential are the same object. */
  #byUser = new WeakMap<User, readonly SchemaOfUser[]>();
  #isConfigured = false;
  #adjusted: number;
  #adjustment: Timer | undefined;
  readonly #releases = new Set<Timer>();
  readonly #turns: FairTurns | undefined;

  constructor(options: FairnessOptions) {
    this.#options = options;
    const afterEvents = options.clock.afterEvents?.bind(options.clock);
    this.#turns = afterEvents && new FairTurns(afterEvents);
    this.#adjusted = this.#now();
    options.metrics.onRead(() => {
      this.#refresh();
      for (const [name, level] of this.#levels)
        options.metrics.virtualTime(name, level.queues.virtualNow);
    });
  }

  /** Has the configuration read again before the next request. */
  configurationChanged(): void {
    this.#isConfigured = false;
  }

  /** Classifies a request, and gives it seats or a place in a queue. */
  enter({ attributes, estimate, waitMs, signal }: Arrival): Entry {
    this.#refresh();
    const schema = matchFlowSchema(this.#schemasOf(attributes.user), attributes);
    const levelName = schema.spec.priorityLevelConfiguration.name;
    const level = this.#levels.get(levelName);
    if (!level) throw new Error(`there is no priority level ${levelName}`);
    const { name } = schema.metadata;
    const flow = { schema: schema.metadata, level: { name: levelName, uid: level.uid } };
    const distinguisher = level.hasQueues ? flowDistinguisher(schema, attributes) : "";
    const request = {
      schema: name,
      distinguisher,
      work: estimate(flow, level.mostSeatsOfRequest),
      hand: this.#handOf(level, name, distinguisher),
      details: () => detailsOf(attributes),
    };
    const waiting: { dispatched?: () => void } = {};
    const seated = level.queues.start(request, () => waiting.dispatched?.());
    if (!seated) {
      this.#droppedOf(levelName).record(Math.floor(this.#options.clock.now() / 1000));
      return { flow, admitted: undefined };
    }
    const { metrics } = this.#options;
    if (seated.started !== undefined) {
      if (!level.isExempt) metrics.waited(flow, true, 0);
      return { flow, admitted: this.#inTurn(level, seated, this.#admit(flow, level, seated)) };
    }
    this.#adjustWhileWaiting();
    const admitted = new Promise<Admitted | undefined>((resolve) => {
      let unfollow = (): void => {};
      const settle = (admission: Admitted | undefined): void => {
        timer.cancel();
        unfollow();
        metrics.waited(flow, admission !== undefined, this.#now() - seated.arrived);
        resolve(admission);
      };
      const giveUp = (): void => {
        level.queues.cancel(seated);
        this.#droppedOf(levelName).record(Math.floor(this.#options.clock.now() / 1000));
        settle(undefined);
      };
      const timer = this.#options.clock.setTimer(waitMs, giveUp);
      unfollow = onAbort(signal, giveUp);
      waiting.dispatched = () => settle(this.#admit(flow, level, seated));
    });
    const inTurn = admitted.then(
      (admission) => admission && this.#inTurn(level, seated, admission),
    );
    return { flow, admitted: inTurn };
  }

  /** Seconds after which a rejected client should try again. */
  retryAfter({ level }: MatchedFlow): number {
    return this.#droppedOf(level.name).retryAfter;
  }

  /** The levels as they are now, by name. */
  dump(): readonly PriorityLevel[] {
    this.#refresh();
    return [...this.#levels.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The time of its clock. */
  get seconds(): number {
    return this.#now();
  }

  close(): void {
    this.#adjustment?.cancel();
    for (const timer of this.#releases) timer.cancel();
    this.#releases.clear();
  }

  #now(): number {
    return this.#options.ticks() / 1000;
  }

  #admit(flow: MatchedFlow, level: PriorityLevel, seated: SeatedRequest): Admitted {
    const { metrics, clock } = this.#options;
    const begun = this.#now();
    let hasEnded = false;
    const end = (): void => {
      if (hasEnded) return;
      hasEnded = true;
      const type = seated.details().verb === "watch" ? "watch" : "regular";
      metrics.executed(flow, type, this.#now() - begun);
      const lingering = level.queues.finish(seated);
      if (lingering !== undefined) {
        const timer = clock.setTimer(lingering * 1000, () => {
          this.#releases.delete(timer);
          level.queues.release(seated);
        });
        this.#releases.add(timer);
      }
      this.#refresh();
    };
    return { end };
  }

  /** The admission of a request that has its seats, once it is its turn. */
  #inTurn(
    level: PriorityLevel,
    { schema, distinguisher, work }: SeatedRequest,
    admitted: Admitted,
  ): Admitted | Promise<Admitted> {
    if (level.isExempt) return admitted;
    const turn = this.#turns?.take(`${schema}\0${distinguisher}`, work.initialSeats);
    return turn === undefined ? admitted : turn.then(() => admitted);
  }

  #schemasOf(user: User): readonly SchemaOfUser[] {
    let schemas = this.#byUser.get(user);
    if (!schemas) {
      schemas = schemasOfUser(this.#schemas, user);
      this.#byUser.set(user, schemas);
    }
    return schemas;
  }

  #handOf(level: PriorityLevel, schema: string, distinguisher: string): readonly number[] {
    const { queues, handSize } = level;
    if (queues.size === 0) return [];
    const key = `${queues.size} ${handSize} ${schema}\0${distinguisher}`;
    let hand = this.#hands.get(key);
    if (!hand) {
      if (this.#hands.size >= mostHands) this.#hands.clear();
      const hash = hashBits(this.#options.sha256(`${schema}\0${distinguisher}`));
      hand = queues.size === 1 ? [0] : dealHand(hash, queues.size, handSize);
      this.#hands.set(key, hand);
    }
    return hand;
  }

  #droppedOf(level: string): DroppedRequests {
    let dropped = this.#dropped.get(level);
    if (!dropped) {
      dropped = new DroppedRequests();
      this.#dropped.set(level, dropped);
    }
    return dropped;
  }

  /** Reads the configuration if it has changed, and lends seats if that is due. */
  #refresh(): void {
    if (!this.#isConfigured) this.#configure();
    else if (this.#now() - this.#adjusted >= adjustmentSeconds) this.#adjust();
  }

  #configure(): void {
    this.#isConfigured = true;
    const { schemas, levels } = this.#options.configuration();
    const specs = new Map<string, { readonly uid: string; readonly spec: LevelSpec }>();
    for (const { metadata, spec } of levels)
      specs.set(metadata.name ?? "", { uid: metadata.uid ?? "", spec });
    for (const [name, spec] of Object.entries(mandatoryPriorityLevels))
      if (!specs.has(name)) specs.set(name, { uid: "", spec });
    this.#schemas = orderFlowSchemas(schemas, (name) => specs.has(name));
    this.#byUser = new WeakMap();
    for (const [name, { uid, spec }] of specs) this.#desire(name, uid, spec);
    for (const [name, level] of this.#levels) {
      level.isQuiescing = !specs.has(name);
      // Requests of a level that was deleted are served to their end.
      if (level.isQuiescing && level.queues.isIdle) this.#levels.delete(name);
    }
    this.#setNominalSeats();
    this.#adjust();
  }

  #desire(name: string, uid: string, spec: LevelSpec): void {
    const level = this.#levels.get(name);
    if (level) level.change(uid, spec);
    else {
      const { metrics } = this.#options;
      const observer = metrics.observerOf(name);
      this.#levels.set(name, new PriorityLevel({ name, uid, spec }, () => this.#now(), observer));
    }
  }

  #setNominalSeats(): void {
    const specs = new Map(Array.from(this.#levels, ([name, { spec }]) => [name, spec]));
    for (const [name, seats] of nominalSeats(this.#options.seats, specs)) {
      const level = this.#levels.get(name);
      if (!level) continue;
      level.setNominal(seats, mostSeatsOfRequest(level.spec, seats.nominal));
      this.#options.metrics.configured(name, seats);
    }
  }

  #adjust(): void {
    const now = this.#now();
    const periods = Math.max(1, Math.floor((now - this.#adjusted) / adjustmentSeconds));
    this.#adjusted = now;
    for (const level of this.#levels.values()) level.endPeriod(periods);
    const { seats, targets, fairShare } = adjustSeats(
      new Map(Array.from(this.#levels, ([name, level]) => [name, level.state])),
    );
    const { metrics } = this.#options;
    metrics.fairShare(fairShare);
    let waiting = 0;
    for (const [name, level] of this.#levels) {
      level.configure(seats.get(name) ?? 0, queuingOf(level.spec));
      metrics.adjusted(name, { ...level.state, target: targets.get(name) ?? 0 });
      const limits = this.#limitsOf(level);
      waiting += limits.waiting;
      metrics.limited(name, limits);
      if (level.isQuiescing && level.queues.isIdle) this.configurationChanged();
    }
    metrics.limitedTogether({ seats: Math.max(1, this.#options.seats), waiting });
  }

  /** Where a level has no seats, its use is a part of a tenth of all. */
  #limitsOf({ state, spec }: PriorityLevel) {
    const queuing = queuingOf(spec);
    const waiting = queuing.type === "Queue" ? queuing.queues * queuing.lengthLimit : 1;
    const seats = state.current > 0 ? state.current : Math.round(this.#options.seats / 10);
    return { seats: Math.max(1, seats), waiting: Math.max(1, waiting) };
  }

  /** Seats are lent as time goes by, too, while requests wait and none arrives or ends. */
  #adjustWhileWaiting(): void {
    this.#adjustment ??= this.#options.clock.setTimer(adjustmentSeconds * 1000, () => {
      this.#adjustment = undefined;
      this.#refresh();
      if ([...this.#levels.values()].some(({ queues }) => queues.waiting > 0))
        this.#adjustWhileWaiting();
    });
  }
}

const detailsOf = (attributes: Attributes): RequestDetails => {
  const { user, group, version } = attributes;
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return { ...attributes, user: user.name, apiVersion };
};
