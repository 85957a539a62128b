import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { parseThresholds } from "./parse-thresholds.ts";
import {
  nextPressureState,
  noPressure,
  type PressureState,
  thresholdToReclaim,
} from "./pressure-state.ts";
import type { Observation, Signal } from "./signal.ts";

const thresholds = parseThresholds({
  evictionHard: { "nodefs.available": "10%", "memory.available": "100" },
  evictionSoft: { "memory.available": "200" },
  evictionSoftGracePeriod: { "memory.available": "30s" },
  evictionMinimumReclaim: { "nodefs.available": "50" },
});

/** Seconds, what is available of 1000 in memory and on disk, then the pressures and the threshold to act on. */
type Step = readonly [
  seconds: number,
  available: { readonly memory?: number; readonly disk?: number },
  pressures: readonly string[],
  acts: string | undefined,
];

each<[string, readonly Step[]]>([
  ["enough of everything", [[0, { memory: 500, disk: 500 }, [], undefined]]],
  [
    "a hard threshold acts at once, and its pressure stays for the transition period",
    [
      [0, { memory: 99, disk: 500 }, ["MemoryPressure"], "memory.available hard"],
      [10, { memory: 500, disk: 500 }, ["MemoryPressure"], undefined],
      [299, { memory: 500, disk: 500 }, ["MemoryPressure"], undefined],
      [300, { memory: 500, disk: 500 }, [], undefined],
    ],
  ],
  [
    "a soft threshold is a pressure at once, and acts after its grace period",
    [
      [0, { memory: 150 }, ["MemoryPressure"], undefined],
      [29, { memory: 150 }, ["MemoryPressure"], undefined],
      [30, { memory: 150 }, ["MemoryPressure"], "memory.available soft"],
    ],
  ],
  [
    "the grace period begins again after the threshold was not met",
    [
      [0, { memory: 150 }, ["MemoryPressure"], undefined],
      [20, { memory: 250 }, ["MemoryPressure"], undefined],
      [40, { memory: 150 }, ["MemoryPressure"], undefined],
      [69, { memory: 150 }, ["MemoryPressure"], undefined],
      [70, { memory: 150 }, ["MemoryPressure"], "memory.available soft"],
    ],
  ],
  [
    "a threshold is met until the minimum is free beyond it",
    [
      [0, { disk: 99 }, ["DiskPressure"], "nodefs.available hard"],
      [10, { disk: 149 }, ["DiskPressure"], "nodefs.available hard"],
      [20, { disk: 150 }, ["DiskPressure"], undefined],
      [30, { disk: 149 }, ["DiskPressure"], undefined],
    ],
  ],
  [
    "memory goes first",
    [[0, { disk: 1, memory: 1 }, ["DiskPressure", "MemoryPressure"], "memory.available hard"]],
  ],
])("nextPressureState: %s", (_, steps) => {
  let state: PressureState = noPressure;
  const found: Step[] = [];
  for (const [seconds, available] of steps) {
    const now = seconds * 1000;
    const observed = (amount: number | undefined): Observation[] =>
      amount === undefined ? [] : [{ available: amount, capacity: 1000, at: now }];
    const observations = new Map<Signal, Observation>([
      ...observed(available.memory).map((one) => ["memory.available", one] as const),
      ...observed(available.disk).map((one) => ["nodefs.available", one] as const),
    ]);
    const last = state.observations;
    state = nextPressureState(state, { thresholds, observations, now, transitionMs: 300_000 });
    const met = thresholdToReclaim(state, last);
    const acts = met && `${met.signal} ${met.graceMs > 0 ? "soft" : "hard"}`;
    found.push([seconds, available, state.pressures, acts]);
  }
  expect(found).toEqual(steps);
});
