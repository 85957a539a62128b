import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { flowControlDefaults } from "../bootstrap/flow-control-plan.ts";
import {
  adjustSeats,
  type LevelDemand,
  type LevelSpec,
  mostSeatsOfRequest,
  nominalSeats,
} from "./level-seats.ts";
import { noDemand } from "./seat-demand.ts";

const defaults = new Map(
  flowControlDefaults()
    .map(({ object }) => object)
    .filter(({ kind }) => kind === "PriorityLevelConfiguration")
    .map(({ metadata, ...rest }) => [
      metadata.name ?? "",
      (rest as unknown as { spec: LevelSpec }).spec,
    ]),
);

// With upstream's default limits in flight, 400 and 200.
each<
  [level: string, least: number, nominal: number, most: number, mostOfRequest: number | undefined]
>([
  ["catch-all", 13, 13, 613, undefined],
  ["exempt", 0, 0, 600, undefined],
  ["global-default", 24, 49, 649, 8],
  ["leader-election", 25, 25, 625, 4],
  ["node-high", 73, 98, 698, 15],
  ["system", 50, 74, 674, 12],
  ["workload-high", 49, 98, 698, 15],
  ["workload-low", 24, 245, 845, 37],
])("nominalSeats: %s", (level, least, nominal, most, mostOfRequest) => {
  expect(nominalSeats(600, defaults).get(level)).toEqual({ least, nominal, most });
  expect(mostSeatsOfRequest(defaults.get(level) as LevelSpec, nominal)).toBe(mostOfRequest);
});

const level = (
  [least, nominal, most]: readonly [number, number, number],
  { wants = 0, isExempt = false } = {},
): LevelDemand => {
  const demand = { ...noDemand, highWatermark: wants, smoothed: wants };
  return { least, nominal, most, isExempt, current: 1, demand };
};

each<[what: string, levels: Record<string, LevelDemand>, seats: Record<string, number>]>([
  [
    "without demand, levels that could lend have equal parts of what is lent",
    { a: level([5, 10, 30]), b: level([5, 10, 30]) },
    { a: 10, b: 10 },
  ],
  [
    "a busy level borrows what an idle one lends",
    { busy: level([10, 10, 30], { wants: 100 }), idle: level([2, 10, 30]) },
    { busy: 18, idle: 2 },
  ],
  [
    "an idle level gets its seats back as soon as it wants them",
    { busy: level([10, 10, 30], { wants: 100 }), idle: level([2, 10, 30], { wants: 10 }) },
    { busy: 10, idle: 10 },
  ],
  [
    "an exempt level takes what it wants, and others share the rest down to their leasts",
    {
      exempt: level([0, 0, 20], { wants: 15, isExempt: true }),
      a: level([4, 20, 40], { wants: 20 }),
    },
    { exempt: 15, a: 5 },
  ],
  [
    "nobody gets less than its least",
    {
      exempt: level([0, 0, 20], { wants: 50, isExempt: true }),
      a: level([4, 20, 40], { wants: 20 }),
    },
    { exempt: 50, a: 4 },
  ],
])("adjustSeats: %s", (_, levels, seats) => {
  const adjusted = adjustSeats(new Map(Object.entries(levels)));
  expect(Object.fromEntries(adjusted.seats)).toEqual(seats);
});
