import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import type { PodGroups, PodMetric } from "./group-pods.ts";
import {
  averageMeasure,
  replicasByPods,
  replicasByRatio,
  replicasByShare,
  utilizationMeasure,
} from "./proposed-replicas.ts";

const tolerances = { scaleUp: 0.1, scaleDown: 0.1 };

const metricsOf = (values: readonly number[]): Map<string, PodMetric> =>
  new Map(values.map((value, i) => [`pod-${i}`, { value: value * 1000, at: 0, windowMs: 0 }]));

const groupsOf = (
  ready: number,
  more: Partial<Record<"missing" | "unready" | "ignored", string[]>> = {},
): PodGroups => ({
  ready,
  missing: new Set(more.missing),
  unready: new Set(more.unready),
  ignored: new Set(more.ignored),
});

interface Row {
  readonly values: readonly number[];
  readonly current: number;
  readonly groups: PodGroups;
  readonly replicas: number;
}

each<[rule: string, row: Row]>([
  [
    "50 and 100 of 60 make three pods",
    { values: [50, 100], current: 2, groups: groupsOf(2), replicas: 3 },
  ],
  [
    "an average of 66 is tolerated",
    { values: [66, 66], current: 2, groups: groupsOf(2), replicas: 2 },
  ],
  ["an average of 67 is not", { values: [67, 67], current: 2, groups: groupsOf(2), replicas: 3 }],
  [
    "an average of 54 is tolerated",
    { values: [54, 54], current: 2, groups: groupsOf(2), replicas: 2 },
  ],
  [
    "a missing pod counts as the target when pods are removed",
    { values: [2], current: 2, groups: groupsOf(1, { missing: ["b"] }), replicas: 2 },
  ],
  [
    "a missing pod counts as idle when pods are added",
    { values: [200], current: 2, groups: groupsOf(1, { missing: ["b"] }), replicas: 4 },
  ],
  [
    "a missing pod that would turn the direction leaves the number as it is",
    { values: [80], current: 2, groups: groupsOf(1, { missing: ["b"] }), replicas: 2 },
  ],
  [
    "unready pods count as idle when pods are added",
    { values: [180], current: 2, groups: groupsOf(1, { unready: ["b"] }), replicas: 3 },
  ],
  [
    "unready pods do not count when pods are removed",
    { values: [20, 20], current: 3, groups: groupsOf(2, { unready: ["c"] }), replicas: 1 },
  ],
  [
    "pods that are going do not count",
    { values: [20, 1000], current: 2, groups: groupsOf(1, { ignored: ["pod-1"] }), replicas: 1 },
  ],
])("replicasByPods: %s", (_, { values, current, groups, replicas }) => {
  const proposal = replicasByPods({
    currentReplicas: current,
    tolerances,
    metrics: metricsOf(values),
    groups,
    measure: () => averageMeasure(60_000),
  });
  expect(proposal.replicas).toBe(replicas);
});

test("replicasByPods: without metrics that count there is no proposal", () => {
  const input = {
    currentReplicas: 1,
    tolerances,
    metrics: metricsOf([1]),
    groups: groupsOf(0, { unready: ["pod-0"] }),
    measure: () => averageMeasure(1),
  };
  expect(() => replicasByPods(input)).toThrow(
    "did not receive metrics for targeted pods (pods might be unready)",
  );
});

test("utilizationMeasure: per cent of what the pods request, rounded down", () => {
  const requests = new Map([
    ["pod-0", 1000_000],
    ["pod-1", 2000_000],
  ]);
  const measure = utilizationMeasure(requests, 50);
  expect(measure.measure(metricsOf([1000, 999]))).toEqual({
    ratio: 66 / 50,
    utilization: 66,
    average: 999_500,
  });
  expect(measure.assumed("pod-1")).toBe(2000_000);
  expect(utilizationMeasure(requests, 150).assumed("pod-0")).toBe(1500_000);
  expect(() => utilizationMeasure(new Map(), 50).measure(metricsOf([1]))).toThrow(
    "no metrics returned matched known pods",
  );
});

test("replicasByRatio: by ready pods, and from zero by the ratio alone", () => {
  const by = (ratio: number, currentReplicas: number) =>
    replicasByRatio(ratio, { currentReplicas, tolerances, readyPods: () => 3 });
  expect([by(1.1, 4), by(1.2, 4), by(0.5, 4), by(2.5, 0), by(1e12, 4)]).toEqual([
    4, 4, 2, 3, 2147483647,
  ]);
});

test("replicasByShare: each pod gets its part of the value", () => {
  const by = (value: number, replicas: number) =>
    replicasByShare(value, { target: 100, replicas, tolerances });
  expect([by(400, 2), by(210, 2), by(0, 2)]).toEqual([
    { replicas: 4, average: 200 },
    { replicas: 2, average: 105 },
    { replicas: 0, average: 0 },
  ]);
});
