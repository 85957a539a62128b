import type { PriorityLevelConfiguration } from "../../api/flowcontrol/v1/priority-level-configuration.ts";
import { allocateSeats } from "./concurrency-allocation.ts";
import type { Queuing } from "./queue-set.ts";
import type { SeatDemand } from "./seat-demand.ts";

export type LevelSpec = NonNullable<PriorityLevelConfiguration["spec"]>;

/** The seats of a priority level by its configuration. */
export interface NominalSeats {
  readonly nominal: number;
  /** What it keeps when others borrow from it. */
  readonly least: number;
  /** What it has at most when it borrows from others. */
  readonly most: number;
}

/** Shares the server's seats among the levels, in proportion to what their configurations ask for. */
export function nominalSeats(
  serverSeats: number,
  specs: ReadonlyMap<string, LevelSpec>,
): ReadonlyMap<string, NominalSeats> {
  const sum = [...specs.values()].reduce((all, spec) => all + sharesOf(spec).shares, 0);
  return new Map(
    Array.from(specs, ([name, spec]) => {
      const { shares, lendable, borrowing } = sharesOf(spec);
      const nominal = sum === 0 ? 0 : Math.ceil((serverSeats * shares) / sum);
      const borrowed =
        borrowing === undefined ? serverSeats : Math.round((nominal * borrowing) / 100);
      const lent = Math.round((nominal * lendable) / 100);
      return [name, { nominal, least: nominal - lent, most: nominal + borrowed }];
    }),
  );
}

function sharesOf({ limited, exempt }: LevelSpec) {
  if (limited)
    return {
      shares: limited.nominalConcurrencyShares ?? 0,
      lendable: limited.lendablePercent ?? 0,
      borrowing: limited.borrowingLimitPercent ?? undefined,
    };
  return {
    shares: exempt?.nominalConcurrencyShares ?? 0,
    lendable: exempt?.lendablePercent ?? 0,
    borrowing: undefined,
  };
}

/** How the requests of a level wait. */
export function queuingOf({ limited }: LevelSpec): Queuing {
  if (!limited) return { type: "Exempt" };
  const { queuing } = limited.limitResponse;
  if (!queuing) return { type: "Reject" };
  return { type: "Queue", queues: queuing.queues, lengthLimit: queuing.queueLengthLimit };
}

const largestPartOfLevel = 0.15;

/** The most seats that one request may take of a level with queues; undefined without queues. */
export function mostSeatsOfRequest({ limited }: LevelSpec, nominal: number): number | undefined {
  const hand = limited?.limitResponse.queuing?.handSize;
  if (hand === undefined) return undefined;
  return Math.max(1, Math.min(Math.ceil(nominal * largestPartOfLevel), Math.floor(nominal / hand)));
}

/** What a level has and what it wants. */
export interface LevelDemand extends NominalSeats {
  readonly isExempt: boolean;
  readonly current: number;
  readonly demand: SeatDemand;
}

/** The seats that each level has until the next adjustment, and the target of each that is not exempt. */
export interface Adjustment {
  readonly seats: ReadonlyMap<string, number>;
  readonly targets: ReadonlyMap<string, number>;
  readonly fairShare: number;
}

/**
 * Lends the seats that levels do not use to those that want more. A level keeps what it has lately wanted, up to its
 * nominal seats; exempt levels are served first.
 */
export function adjustSeats(levels: ReadonlyMap<string, LevelDemand>): Adjustment {
  const limited = [...levels].filter(([, { isExempt }]) => !isExempt);
  const leastNow = ({ least, nominal, demand, isExempt }: LevelDemand) =>
    Math.max(least, isExempt ? demand.highWatermark : Math.min(nominal, demand.highWatermark));
  const sum = (of: (level: LevelDemand) => number, among: Iterable<LevelDemand>) =>
    [...among].reduce((all, level) => all + of(level), 0);
  const nominal = sum((level) => level.nominal, levels.values());
  const exempt = [...levels.values()].filter(({ isExempt }) => isExempt);
  const remaining = nominal - sum(leastNow, exempt);
  const others = limited.map(([, level]) => level);
  const leastSum = sum(({ least }) => least, others);
  const leastNowSum = sum(leastNow, others);
  const target = (level: LevelDemand) => Math.max(leastNow(level), level.demand.smoothed);
  const targets = new Map(limited.map(([name, level]) => [name, target(level)]));
  const result = (fairShare: number, seatsOf: (level: LevelDemand, i: number) => number) => ({
    fairShare,
    targets,
    seats: new Map([
      ...limited.map(([name, level], i) => [name, seatsOf(level, i)] as const),
      ...[...levels]
        .filter(([, { isExempt }]) => isExempt)
        .map(([name, level]) => [name, leastNow(level)] as const),
    ]),
  });
  if (remaining <= leastSum) return result(0, ({ least }) => least);
  if (remaining <= leastNowSum) {
    const share = (remaining - leastSum) / (leastNowSum - leastSum);
    return result(0, (level) => level.least + Math.round((leastNow(level) - level.least) * share));
  }
  const allocated = allocateSeats(
    nominal,
    others.map((level) => ({
      least: leastNow(level),
      most: level.most,
      target: target(level),
    })),
  );
  if (!allocated) return result(0, ({ current }) => current);
  return result(allocated.fairShare, (_, i) => Math.round(allocated.seats[i] as number));
}
