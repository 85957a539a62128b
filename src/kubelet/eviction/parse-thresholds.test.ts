import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { quantityAsNumber } from "../../schema/values/quantity.ts";
import { evictionReserve } from "./eviction-reserve.ts";
import { parseThresholds, type ThresholdSettings } from "./parse-thresholds.ts";
import { type Threshold, thresholdQuantity } from "./threshold.ts";

/** A threshold as one text, of a capacity of 1000. */
const textOf = ({ signal, value, graceMs, minReclaim }: Threshold): string => {
  const amount = (one: typeof value): number => quantityAsNumber(thresholdQuantity(one, 1000));
  const more = minReclaim ? ` +${amount(minReclaim)}` : "";
  return `${signal}<${amount(value)}${graceMs > 0 ? ` for ${graceMs}` : ""}${more}`;
};

each<[string, ThresholdSettings, readonly string[]]>([
  ["nothing", {}, []],
  [
    "amounts and percentages",
    { evictionHard: { "memory.available": "100Mi", "nodefs.available": "10%" } },
    ["memory.available<104857600", "nodefs.available<100"],
  ],
  [
    "percentages that turn a threshold off",
    { evictionHard: { "memory.available": "0%", "nodefs.available": "100%" } },
    [],
  ],
  [
    "soft thresholds, grace periods and minimum reclaims",
    {
      evictionHard: { "imagefs.available": "15%" },
      evictionSoft: { "imagefs.available": "20%" },
      evictionSoftGracePeriod: { "imagefs.available": "1m30s" },
      evictionMinimumReclaim: { "imagefs.available": "5%" },
    },
    ["imagefs.available<150 +50", "imagefs.available<200 for 90000 +50"],
  ],
  [
    "what all pods may use",
    {
      evictionHard: { "memory.available": "200", "pid.available": "10%" },
      evictionSoft: { "memory.available": "300" },
      evictionSoftGracePeriod: { "memory.available": "1s" },
      enforceNodeAllocatable: ["pods"],
    },
    [
      "memory.available<200",
      "pid.available<100",
      "memory.available<300 for 1000",
      "allocatableMemory.available<200",
    ],
  ],
])("parseThresholds: %s", (_, settings, expected) => {
  expect(parseThresholds(settings).map(textOf)).toEqual(expected);
});

each<[ThresholdSettings, string]>([
  [{ evictionHard: { "cpu.available": "1" } }, "unsupported eviction signal cpu.available"],
  [
    { evictionHard: { "memory.available": "-1%" } },
    "eviction percentage threshold memory.available must be >= 0%: -1%",
  ],
  [
    { evictionHard: { "memory.available": "101%" } },
    "eviction percentage threshold memory.available must be <= 100%: 101%",
  ],
  [{ evictionHard: { "memory.available": "x%" } }, 'parsing "x": invalid syntax'],
  [
    { evictionHard: { "memory.available": "0" } },
    "eviction threshold memory.available must be positive: 0",
  ],
  [
    { evictionSoft: { "memory.available": "1Gi" } },
    "grace period must be specified for the soft eviction threshold memory.available",
  ],
  [
    { evictionSoftGracePeriod: { "memory.available": "-1s" } },
    "invalid eviction grace period specified: -1s, must be a positive value",
  ],
  [
    { evictionMinimumReclaim: { "memory.available": "0%" } },
    "eviction percentage minimum reclaim memory.available must be positive: 0%",
  ],
  [
    { evictionMinimumReclaim: { "memory.available": "-1Mi" } },
    "negative eviction minimum reclaim specified for memory.available",
  ],
])("parseThresholds: %j is rejected", (settings, problem) => {
  expect(() => parseThresholds(settings)).toThrow(problem);
});

test("evictionReserve: hard thresholds of memory and the node's disk", () => {
  const thresholds = parseThresholds({
    evictionHard: {
      "memory.available": "100Mi",
      "nodefs.available": "10%",
      "imagefs.available": "15%",
    },
    evictionSoft: { "memory.available": "1Gi" },
    evictionSoftGracePeriod: { "memory.available": "1m" },
  });
  const capacity = { memory: "8Gi", "ephemeral-storage": "102821812Ki" };
  expect(evictionReserve(thresholds, capacity)).toEqual({
    memory: "100Mi",
    // The same as upstream's, which computes with single precision.
    "ephemeral-storage": "10528953705",
  });
});
