import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import type { Lease, LeaseSpec } from "../../../api/coordination/v1/lease.ts";
import type { LeaseCandidate } from "../../../api/coordination/v1beta1/lease-candidate.ts";
import { electionStep, isCandidateExpired, leaseAfter } from "./election-step.ts";

const now = Date.UTC(2026, 0, 1);
/** A time so many seconds ago. */
const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString();

interface Row {
  readonly renewed?: number;
  readonly asked?: number;
  readonly version?: string;
  readonly binary?: string;
  readonly strategy?: string;
}

/** A candidate that renewed and was asked so many seconds ago. */
const candidate = (name: string, row: Row = {}): LeaseCandidate =>
  ({
    metadata: { name, namespace: "ns", creationTimestamp: ago(name.charCodeAt(0)) },
    spec: {
      leaseName: "l",
      renewTime: ago(row.renewed ?? 1),
      ...(row.asked !== undefined && { pingTime: ago(row.asked) }),
      emulationVersion: row.version ?? "1.36.0",
      binaryVersion: row.binary ?? "1.36.0",
      strategy: row.strategy ?? "OldestEmulationVersion",
    },
  }) as unknown as LeaseCandidate;

const heldBy = (holderIdentity: string, renewed = 1): Lease =>
  ({ spec: { holderIdentity, renewTime: ago(renewed), leaseDurationSeconds: 5 } }) as Lease;

function show(...given: [readonly LeaseCandidate[], Lease | undefined]): string {
  try {
    const step = electionStep(...given, now);
    if (step.type === "ask")
      return `ask ${step.candidates.map(({ metadata }) => metadata.name).join()}`;
    return step.type === "elect" ? `elect ${step.holder} by ${step.strategy}` : "wait";
  } catch (error) {
    return (error as Error).message;
  }
}

const oldest = "OldestEmulationVersion";
each<[string, Parameters<typeof show>, string]>([
  ["without candidates", [[], undefined], "wait"],
  ["nobody holds it, and all are there", [[candidate("a")], undefined], `elect a by ${oldest}`],
  [
    "the oldest emulation version",
    [[candidate("a"), candidate("b", { version: "1.35.0" })], undefined],
    `elect b by ${oldest}`,
  ],
  [
    "then the oldest binary",
    [[candidate("a", { binary: "1.37.0" }), candidate("b")], undefined],
    `elect b by ${oldest}`,
  ],
  ["then the oldest object", [[candidate("a"), candidate("b")], undefined], `elect b by ${oldest}`],
  ["candidates are asked first", [[candidate("a", { renewed: 60 })], undefined], "ask a"],
  [
    "one was asked, and may still answer",
    [[candidate("a", { renewed: 60, asked: 2 }), candidate("b")], undefined],
    "wait",
  ],
  [
    "one has not answered in time",
    [[candidate("a"), candidate("b", { renewed: 60, asked: 6 })], undefined],
    `elect a by ${oldest}`,
  ],
  [
    "one answered long ago",
    [[candidate("a", { renewed: 60, asked: 61 }), candidate("b")], undefined],
    "ask a",
  ],
  ["nobody has answered", [[candidate("a", { renewed: 60, asked: 6 })], undefined], "wait"],
  ["the best one holds it", [[candidate("a")], heldBy("a")], "wait"],
  ["a better one than the holder", [[candidate("b")], heldBy("a")], `elect b by ${oldest}`],
  ["the holder is gone", [[candidate("a")], heldBy("a", 6)], `elect a by ${oldest}`],
  ["every 15 minutes all are asked", [[candidate("a", { renewed: 901 })], heldBy("a")], "ask a"],
  [
    "the strategy of the newest binary is not the server's",
    [[candidate("a"), candidate("b", { binary: "1.37.0", strategy: "x/y" })], undefined],
    "elect undefined by x/y",
  ],
  [
    "candidates contradict each other",
    [[candidate("a"), candidate("b", { strategy: "x/y" })], undefined],
    `candidates "a", "b" at same binary version but received differing strategies ${oldest}, x/y`,
  ],
])("electionStep: %s", (_, given, wanted) => {
  expect(show(...given)).toBe(wanted);
});

const time = ago(0);
const fresh = { strategy: oldest, leaseDurationSeconds: 5, renewTime: time };
each<[string, LeaseSpec | undefined, string | undefined, LeaseSpec]>([
  ["a new lease", undefined, "a", { ...fresh, holderIdentity: "a" }],
  ["a new lease whose holder others choose", undefined, undefined, fresh],
  [
    "the holder is to hand it over",
    heldBy("a").spec,
    "b",
    { ...heldBy("a").spec, strategy: oldest, preferredHolder: "b" },
  ],
  [
    "the holder is gone",
    { ...heldBy("a", 60).spec, acquireTime: ago(90), preferredHolder: "c", leaseTransitions: 2 },
    "b",
    { ...fresh, holderIdentity: "b", leaseTransitions: 2 },
  ],
  ["it is the holder", heldBy("a").spec, "a", { ...heldBy("a").spec, strategy: oldest }],
])("leaseAfter: %s", (_, spec, holder, wanted) => {
  const step = { type: "elect", strategy: oldest, holder } as const;
  expect(leaseAfter(spec, step, { now, time })).toEqual(wanted);
});

each<[number, boolean]>([
  [1800, false],
  [1801, true],
])("isCandidateExpired: %s seconds after its renewal", (renewed, wanted) => {
  expect(isCandidateExpired(candidate("a", { renewed }), now)).toBe(wanted);
});
