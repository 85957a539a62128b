import type { LevelDemand, LevelSpec, NominalSeats } from "./level-seats.ts";
import { QueueSet, type QueueSetObserver, type Queuing } from "./queue-set.ts";
import { DemandIntegrator, nextDemand, noDemand, type SeatDemand } from "./seat-demand.ts";

/** A priority level at work: its configuration, its requests, and the seats that it has and wants. */
export class PriorityLevel {
  readonly name: string;
  readonly queues: QueueSet;
  /** Whether its configuration was deleted, so that it ends with its last request. */
  isQuiescing = false;
  mostSeatsOfRequest: number | undefined;
  #uid: string;
  #spec: LevelSpec;
  readonly #now: () => number;
  readonly #integrator: DemandIntegrator;
  #seats: NominalSeats = { nominal: 0, least: 0, most: 0 };
  #current = 0;
  #demand: SeatDemand = noDemand;

  /** `now` is a monotonic clock in seconds. */
  constructor(
    { name, uid, spec }: { readonly name: string; readonly uid: string; readonly spec: LevelSpec },
    now: () => number,
    observer: QueueSetObserver,
  ) {
    this.name = name;
    this.#uid = uid;
    this.#spec = spec;
    this.#now = now;
    this.#integrator = new DemandIntegrator(now());
    this.queues = new QueueSet(now, {
      ...observer,
      demand: (seats) => {
        this.#integrator.set(seats, now());
        observer.demand(seats);
      },
    });
  }

  get uid(): string {
    return this.#uid;
  }
  get spec(): LevelSpec {
    return this.#spec;
  }
  get isExempt(): boolean {
    return this.#spec.type === "Exempt";
  }
  get hasQueues(): boolean {
    return this.queues.size > 0;
  }
  get handSize(): number {
    return this.#spec.limited?.limitResponse.queuing?.handSize ?? 1;
  }

  /** What it has and wants. */
  get state(): LevelDemand {
    const { isExempt } = this;
    return { ...this.#seats, isExempt, current: this.#current, demand: this.#demand };
  }

  change(uid: string, spec: LevelSpec): void {
    this.#uid = uid;
    this.#spec = spec;
  }

  setNominal(seats: NominalSeats, mostSeatsOfRequest: number | undefined): void {
    this.#seats = seats;
    this.mostSeatsOfRequest = mostSeatsOfRequest;
  }

  /** Ends a period of observation, which took as long as `periods`. */
  endPeriod(periods: number): void {
    this.#demand = nextDemand(this.#demand, this.#integrator.endPeriod(this.#now()), periods);
  }

  configure(seats: number, queuing: Queuing): void {
    this.#current = seats;
    this.queues.configure(queuing, seats);
  }
}
