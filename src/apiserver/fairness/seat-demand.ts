/** What was observed of a level's demand for seats in one period. */
export interface DemandOfPeriod {
  readonly seconds: number;
  readonly average: number;
  /** The standard deviation over time. */
  readonly deviation: number;
  readonly most: number;
}

/** Integrates a number over time. */
export class DemandIntegrator {
  #value = 0;
  #since: number;
  #seconds = 0;
  #integral = 0;
  #squares = 0;
  #most = 0;

  /** `now` is in seconds. */
  constructor(now: number) {
    this.#since = now;
  }

  set(value: number, now: number): void {
    this.#advance(now);
    this.#value = value;
    if (value > this.#most) this.#most = value;
  }

  /** Ends the period, and begins another. */
  endPeriod(now: number): DemandOfPeriod {
    this.#advance(now);
    const seconds = this.#seconds;
    const average = seconds > 0 ? this.#integral / seconds : 0;
    const variance = seconds > 0 ? this.#squares / seconds - average * average : 0;
    const most = this.#most;
    this.#seconds = 0;
    this.#integral = 0;
    this.#squares = 0;
    this.#most = this.#value;
    return { seconds, average, deviation: Math.sqrt(Math.max(variance, 0)), most };
  }

  #advance(now: number): void {
    const passed = now - this.#since;
    this.#since = now;
    this.#seconds += passed;
    this.#integral += this.#value * passed;
    this.#squares += this.#value * this.#value * passed;
  }
}

/** The seats that a level has been wanting lately. */
export interface SeatDemand {
  readonly average: number;
  readonly deviation: number;
  readonly highWatermark: number;
  /** Follows a growing demand at once, and a shrinking one slowly. */
  readonly smoothed: number;
}

export const noDemand: SeatDemand = { average: 0, deviation: 0, highWatermark: 0, smoothed: 0 };

const smoothing = 0.977;

/** The demand after an observation that took as long as `periods`. */
export function nextDemand(demand: SeatDemand, observed: DemandOfPeriod, periods = 1): SeatDemand {
  const highWatermark = Math.round(observed.most);
  if (observed.seconds <= 0) return { ...demand, highWatermark };
  const { average, deviation } = observed;
  const envelope = average + deviation;
  const kept = smoothing ** periods;
  const smoothed = Math.max(envelope, kept * demand.smoothed + (1 - kept) * envelope);
  return { average, deviation, highWatermark, smoothed };
}
