import type { Metrics } from "../../base/metrics.ts";
import { TimedRatio } from "./timed-ratio.ts";

/** How much of what a level has is used, and wanted. */
export interface LevelUtilization {
  readonly seats: TimedRatio;
  readonly executing: TimedRatio;
  readonly waiting: TimedRatio;
  readonly demand: TimedRatio;
}

/** What requests of a kind take of the whole server. */
export interface KindUtilization {
  readonly executing: TimedRatio;
  readonly waiting: TimedRatio;
}

/** How much of their limits levels, reads and writes use, over time. */
export class UtilizationMetrics {
  readonly #families: ReturnType<typeof familiesIn>;
  readonly #ticks: () => number;
  readonly #levels = new Map<string, LevelUtilization>();
  readonly reading: KindUtilization;
  readonly writing: KindUtilization;

  constructor(metrics: Metrics, ticks: () => number) {
    this.#families = familiesIn(metrics);
    this.#ticks = ticks;
    this.reading = this.#ofKind("readOnly");
    this.writing = this.#ofKind("mutating");
    metrics.onRead(() => {
      const all = [this.reading, this.writing, ...this.#levels.values()];
      for (const one of all) for (const ratio of Object.values(one)) ratio.observe();
    });
  }

  ofLevel(name: string): LevelUtilization {
    let level = this.#levels.get(name);
    if (!level) {
      const { seats, requests, demand } = this.#families;
      level = {
        seats: new TimedRatio(seats.of("executing", name), this.#ticks),
        executing: new TimedRatio(requests.of("executing", name), this.#ticks),
        waiting: new TimedRatio(requests.of("waiting", name), this.#ticks),
        demand: new TimedRatio(demand.of(name), this.#ticks),
      };
      this.#levels.set(name, level);
    }
    return level;
  }

  #ofKind(kind: string): KindUtilization {
    const { kinds } = this.#families;
    return {
      executing: new TimedRatio(kinds.of("executing", kind), this.#ticks),
      waiting: new TimedRatio(kinds.of("waiting", kind), this.#ticks),
    };
  }
}

const prefix = "apiserver_flowcontrol_";
const stability = "ALPHA" as const;

const familiesIn = (metrics: Metrics) => ({
  seats: metrics.histogram({
    name: `${prefix}priority_level_seat_utilization`,
    help: "The part of its seats that a level uses, at each nanosecond.",
    stability,
    labels: ["phase", "priority_level"],
    buckets: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1],
  }),
  requests: metrics.histogram({
    name: `${prefix}priority_level_request_utilization`,
    help: "Requests of a level as a part of those that it may have, at each nanosecond.",
    stability,
    labels: ["phase", "priority_level"],
    buckets: [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1],
  }),
  demand: metrics.histogram({
    name: `${prefix}demand_seats`,
    help: "Seats that a level could use as a part of those that it has, at each nanosecond.",
    stability,
    labels: ["priority_level"],
    buckets: [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6],
  }),
  kinds: metrics.histogram({
    name: `${prefix}read_vs_write_current_requests`,
    help: "Requests that read or write as a part of those that there may be, at each nanosecond.",
    stability,
    labels: ["phase", "request_kind"],
    buckets: [0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1],
  }),
});
