import type { Counter, Family, Gauge, Histogram, Metrics } from "../../base/metrics.ts";
import type { NominalSeats } from "../fairness/level-seats.ts";
import type { MatchedFlow } from "../fairness/priority-and-fairness.ts";
import type { QueueSetObserver } from "../fairness/queue-set.ts";
import type { SeatDemand } from "../fairness/seat-demand.ts";
import { type KindUtilization, UtilizationMetrics } from "./utilization-metrics.ts";

/** What a level has and wants after an adjustment. */
interface AdjustedLevel {
  readonly demand: SeatDemand;
  readonly current: number;
  readonly target: number;
}

interface LevelLimits {
  readonly seats: number;
  readonly waiting: number;
}

/** The series of one flow schema. */
interface FlowSeries {
  readonly waitingRequests: Gauge;
  readonly waitingSeats: Gauge;
  readonly executingRequests: Gauge;
  readonly executingSeats: Gauge;
  readonly seatsInUse: Gauge;
  readonly dispatches: Counter;
  readonly queueLength: Histogram;
  readonly watchers: Histogram;
  readonly seats: Histogram;
  readonly executed: Histogram;
  readonly regular: Histogram;
  // These are rare: a series exists once it has a value.
  readonly notExecuted: () => Histogram;
  readonly watch: () => Histogram;
}

/** The metrics of priority and fairness. */
export class FlowControlMetrics {
  readonly #metrics: Metrics;
  readonly #rejected: Family<Counter>;
  readonly #dispatched: Family<Counter>;
  readonly #noAccommodation: Family<Counter>;
  readonly #gauges: ReturnType<typeof levelGauges>;
  readonly #flows: ReturnType<typeof flowGauges>;
  readonly #histograms: ReturnType<typeof flowHistograms>;
  readonly #fairShare: Gauge;
  readonly #utilization: UtilizationMetrics;
  /** The series of a flow schema, by level: looking them up by labels is slower. */
  readonly #series = new Map<string, Map<string, FlowSeries>>();

  constructor(metrics: Metrics, ticks: () => number) {
    this.#metrics = metrics;
    this.#utilization = new UtilizationMetrics(metrics, ticks);
    this.#rejected = metrics.counter(rejected);
    this.#dispatched = metrics.counter(dispatched);
    this.#noAccommodation = metrics.counter(noAccommodation);
    this.#gauges = levelGauges(metrics);
    this.#flows = flowGauges(metrics);
    this.#histograms = flowHistograms(metrics);
    this.#fairShare = metrics.gauge(fairShare).of();
  }

  onRead(collect: () => void): void {
    this.#metrics.onRead(collect);
  }

  /** Counts what happens to the requests of a level. */
  observerOf(level: string): QueueSetObserver {
    const { dispatchTime, latestStart, nextStarts, discountedStarts } = this.#gauges;
    const dispatchedAt = dispatchTime.of(level);
    const startedAt = latestStart.of(level);
    const bounds = (["min", "max"] as const).map((bound, i) => ({
      i,
      next: nextStarts.of(level, bound),
      discounted: discountedStarts.of(level, bound),
    }));
    const of = (schema: string) => this.#seriesOf(level, schema);
    const used = this.#utilization.ofLevel(level);
    return {
      demand: (seats) => used.demand.set(seats),
      waiting: (schema, requests, seats) => {
        used.waiting.add(requests);
        of(schema).waitingRequests.add(requests);
        of(schema).waitingSeats.add(seats);
      },
      executing: (schema, requests, seats) => {
        const { executingRequests, executingSeats, seatsInUse, dispatches } = of(schema);
        used.seats.add(seats);
        if (requests !== 0) used.executing.add(requests);
        if (requests !== 0) executingRequests.add(requests);
        if (requests === 1) dispatches.add(1);
        executingSeats.add(seats);
        seatsInUse.add(seats);
      },
      rejected: (schema, reason) => this.#rejected.of(level, schema, reason).add(1),
      queueLength: (schema, length) => of(schema).queueLength.observe(length),
      notAccommodated: (schema) => this.#noAccommodation.of(level, schema).add(1),
      dispatched: (progress) => {
        dispatchedAt.set(progress.current);
        startedAt.set(progress.start);
        for (const { i, next, discounted } of bounds) {
          next.set(progress.bounds[i] as number);
          discounted.set(progress.discounted[i] as number);
        }
      },
    };
  }

  estimated({ level, schema }: MatchedFlow, seats: number): void {
    this.#seriesOf(level.name, schema.name).seats.observe(seats);
  }
  watchers({ level, schema }: MatchedFlow, count: number): void {
    this.#seriesOf(level.name, schema.name).watchers.observe(count);
  }
  waited({ level, schema }: MatchedFlow, execute: boolean, seconds: number): void {
    const { executed, notExecuted } = this.#seriesOf(level.name, schema.name);
    (execute ? executed : notExecuted()).observe(seconds);
  }
  executed({ level, schema }: MatchedFlow, type: "regular" | "watch", seconds: number): void {
    const { regular, watch } = this.#seriesOf(level.name, schema.name);
    (type === "watch" ? watch() : regular).observe(seconds);
  }

  #seriesOf(level: string, schema: string): FlowSeries {
    let known = this.#series.get(level);
    if (!known) {
      known = new Map();
      this.#series.set(level, known);
    }
    let series = known.get(schema);
    if (!series) {
      series = this.#newSeries(level, schema);
      known.set(schema, series);
    }
    return series;
  }

  #newSeries(level: string, schema: string): FlowSeries {
    const { waitingRequests, waitingSeats, executingRequests } = this.#flows;
    const { executingSeats, seatsInUse } = this.#flows;
    const { queueLength, waiting, execution, watchers, seats } = this.#histograms;
    return {
      waitingRequests: waitingRequests.of(level, schema),
      waitingSeats: waitingSeats.of(level, schema),
      executingRequests: executingRequests.of(level, schema),
      executingSeats: executingSeats.of(level, schema),
      seatsInUse: seatsInUse.of(level, schema),
      dispatches: this.#dispatched.of(level, schema),
      queueLength: queueLength.of(level, schema),
      watchers: watchers.of(level, schema),
      seats: seats.of(level, schema),
      executed: waiting.of(level, schema, "true"),
      regular: execution.of(level, schema, "regular"),
      notExecuted: () => waiting.of(level, schema, "false"),
      watch: () => execution.of(level, schema, "watch"),
    };
  }

  configured(level: string, { nominal, least, most }: NominalSeats): void {
    const { nominalSeats, concurrencyLimit, leastSeats, mostSeats } = this.#gauges;
    concurrencyLimit.of(level).set(nominal);
    nominalSeats.of(level).set(nominal);
    leastSeats.of(level).set(least);
    mostSeats.of(level).set(most);
  }

  adjusted(level: string, { demand, current, target }: AdjustedLevel): void {
    this.#gauges.highWatermark.of(level).set(demand.highWatermark);
    this.#gauges.average.of(level).set(demand.average);
    this.#gauges.deviation.of(level).set(demand.deviation);
    this.#gauges.smoothed.of(level).set(demand.smoothed);
    this.#gauges.target.of(level).set(target);
    this.#gauges.currentSeats.of(level).set(current);
  }

  /** The seats that a level has to share, and how many requests may wait in its queues. */
  limited(level: string, { seats, waiting }: LevelLimits): void {
    const used = this.#utilization.ofLevel(level);
    used.seats.setLimit(seats);
    used.executing.setLimit(seats);
    used.demand.setLimit(seats);
    used.waiting.setLimit(waiting);
  }

  /** The same of all levels together. */
  limitedTogether({ seats, waiting }: LevelLimits): void {
    for (const used of [this.#utilization.reading, this.#utilization.writing]) {
      used.executing.setLimit(seats);
      used.waiting.setLimit(waiting);
    }
  }

  /** What requests that read take of the server, or those that write. */
  ofKind(isWrite: boolean): KindUtilization {
    return isWrite ? this.#utilization.writing : this.#utilization.reading;
  }

  fairShare(share: number): void {
    this.#fairShare.set(share);
  }

  virtualTime(level: string, time: number): void {
    this.#gauges.virtualTime.of(level).set(time);
  }
}

const prefix = "apiserver_flowcontrol_";
const ofLevel = ["priority_level"] as const;
const ofFlow = ["priority_level", "flow_schema"] as const;
const alpha = "ALPHA" as const;
const beta = "BETA" as const;

const rejected = {
  name: `${prefix}rejected_requests_total`,
  help: "Requests that were rejected, because queues were full or they waited too long.",
  stability: beta,
  labels: [...ofFlow, "reason"],
};

const dispatched = {
  name: `${prefix}dispatched_requests_total`,
  help: "Requests that were executed.",
  stability: beta,
  labels: ofFlow,
};

const noAccommodation = {
  name: `${prefix}request_dispatch_no_accommodation_total`,
  help: "How often the next request needed more seats than were free.",
  stability: alpha,
  labels: ofFlow,
};

const fairShare = {
  name: `${prefix}seat_fair_frac`,
  help: "The share of its target that each level gets that can use it.",
  stability: alpha,
};

function levelGauges(metrics: Metrics) {
  const gauge = (
    name: string,
    help: string,
    more: { readonly stability?: "BETA"; readonly deprecated?: string; bound?: true } = {},
  ) => {
    const { bound, ...rest } = more;
    const labels = bound ? [...ofLevel, "bound"] : ofLevel;
    return metrics.gauge({ stability: alpha, ...rest, name: prefix + name, help, labels });
  };
  return {
    virtualTime: gauge("current_r", "The virtual time of the level."),
    dispatchTime: gauge("dispatch_r", "The virtual time of the last dispatch."),
    latestStart: gauge("latest_s", "When the request that was dispatched last started, virtually."),
    nextStarts: gauge("next_s_bounds", "When the next requests of all queues start, virtually.", {
      bound: true,
    }),
    discountedStarts: gauge(
      "next_discounted_s_bounds",
      "The same without the work of requests that are executed.",
      { bound: true },
    ),
    concurrencyLimit: gauge("request_concurrency_limit", "The configured seats of a level.", {
      deprecated: "1.30.0",
    }),
    nominalSeats: gauge("nominal_limit_seats", "The configured seats of a level.", {
      stability: beta,
    }),
    leastSeats: gauge("lower_limit_seats", "The seats that a level keeps when others borrow."),
    mostSeats: gauge("upper_limit_seats", "The most seats of a level that borrows."),
    highWatermark: gauge("demand_seats_high_watermark", "The most seats wanted in a period."),
    average: gauge("demand_seats_average", "The average of the seats wanted in a period."),
    deviation: gauge("demand_seats_stdev", "The standard deviation of the seats wanted."),
    smoothed: gauge("demand_seats_smoothed", "The seats wanted, smoothed over periods."),
    target: gauge("target_seats", "The seats that a level is to get."),
    currentSeats: gauge("current_limit_seats", "The seats that a level has now."),
  };
}

function flowGauges(metrics: Metrics) {
  const gauge = (
    name: string,
    help: string,
    more: { readonly stability?: "BETA"; readonly deprecated?: string } = {},
  ) => metrics.gauge({ stability: alpha, ...more, name: prefix + name, help, labels: ofFlow });
  return {
    waitingRequests: gauge("current_inqueue_requests", "Requests that wait in queues.", {
      stability: beta,
    }),
    waitingSeats: gauge("current_inqueue_seats", "The seats for which requests wait."),
    executingRequests: gauge("current_executing_requests", "Requests that are executed.", {
      stability: beta,
    }),
    executingSeats: gauge("current_executing_seats", "Seats that requests hold.", {
      stability: beta,
    }),
    seatsInUse: gauge("request_concurrency_in_use", "Seats that requests hold.", {
      deprecated: "1.31.0",
    }),
  };
}

const seconds = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];

function flowHistograms(metrics: Metrics) {
  const histogram = (
    name: string,
    help: string,
    more: {
      readonly buckets: readonly number[];
      readonly stability?: "BETA";
      readonly label?: string;
    },
  ): Family<Histogram> => {
    const { label, ...rest } = more;
    const labels = label === undefined ? ofFlow : [...ofFlow, label];
    return metrics.histogram({ stability: alpha, ...rest, name: prefix + name, help, labels });
  };
  return {
    queueLength: histogram(
      "request_queue_length_after_enqueue",
      "The length of the queue in which a request was placed.",
      { buckets: [0, 10, 25, 50, 100, 250, 500, 1000] },
    ),
    waiting: histogram("request_wait_duration_seconds", "Seconds that requests waited.", {
      buckets: seconds,
      label: "execute",
      stability: beta,
    }),
    execution: histogram(
      "request_execution_seconds",
      "Seconds that requests took, watches until they had their initial events.",
      { buckets: seconds, label: "type" },
    ),
    watchers: histogram("watch_count_samples", "Watchers of what a request writes.", {
      buckets: [0, 1, 10, 100, 1000, 10_000],
    }),
    seats: histogram("work_estimated_seats", "The seats that a request is expected to take.", {
      buckets: [1, 2, 4, 8, 16, 32, 64, 100],
    }),
  };
}
