import { expect, test } from "vitest";
import { aPodInfo } from "../../framework/framework.test-support.ts";
import { bestCandidate, type Candidate, moreImportantFirst } from "./candidate.ts";
import { victimsByBudget } from "./disruption-budgets.ts";

const now = Date.parse("2026-01-01T12:00:00Z");
const victim = (name: string, priority: number, startTime?: string) =>
  aPodInfo(name, { spec: { priority }, status: startTime ? { startTime } : {} });
const candidate = (node: string, violations: number, ...priorities: number[]): Candidate => ({
  node,
  violations,
  victims: priorities.map((priority, i) => victim(`${node}-${i}`, priority)),
});
const at = (hour: number) => `2026-01-01T0${hour}:00:00Z`;

test.each<[string, Candidate[], string]>([
  ["fewest budgets broken", [candidate("a", 1, 1), candidate("b", 0, 9, 9)], "b"],
  [
    "then the least important of the most important",
    [candidate("a", 0, 5), candidate("b", 0, 4, 4, 4)],
    "b",
  ],
  ["then the least importance in all", [candidate("a", 0, 5, 4), candidate("b", 0, 5, 3)], "b"],
  ["then the fewest victims", [candidate("a", 0, 5, -(2 ** 31)), candidate("b", 0, 5)], "b"],
  [
    "then those that were started last",
    [
      { node: "a", violations: 0, victims: [victim("x", 5, at(1)), victim("y", 4, at(3))] },
      { node: "b", violations: 0, victims: [victim("x", 5, at(2)), victim("y", 4, at(1))] },
    ],
    "b",
  ],
  ["the first where all is equal", [candidate("a", 0, 5), candidate("b", 0, 5)], "a"],
])("leastHarm: %s", (_, candidates, expected) => {
  expect(bestCandidate(candidates, now)?.node).toBe(expected);
});

test("moreImportantFirst: by priority, then by start time", () => {
  const pods = [
    victim("new", 1),
    victim("late", 1, at(2)),
    victim("early", 1, at(1)),
    victim("high", 2),
  ];
  expect(pods.sort(moreImportantFirst(now)).map(({ name }) => name)).toEqual([
    "high",
    "early",
    "late",
    "new",
  ]);
});

test("victimsByBudget: a budget protects the pods beyond its allowed disruptions, in order", () => {
  const budget = {
    metadata: { namespace: "default", name: "web" },
    spec: { selector: { matchLabels: { app: "web" } } },
    status: { disruptionsAllowed: 1, disruptedPods: { gone: "2026-01-01T00:00:00Z" } },
  };
  const pods = ["first", "gone", "second", "third"].map((name) =>
    aPodInfo(name, { labels: { app: "web" } }),
  );
  const others = [
    aPodInfo("db", { labels: { app: "db" } }),
    aPodInfo("bare"),
    aPodInfo("far", { labels: { app: "web" }, namespace: "x" }),
  ];
  const { violating, others: free } = victimsByBudget([...pods, ...others], [budget as never]);
  expect(violating.map(({ name }) => name)).toEqual(["second", "third"]);
  expect(free.map(({ name }) => name)).toEqual(["first", "gone", "db", "bare", "far"]);
  const all = { ...budget, spec: { selector: {} } };
  expect(victimsByBudget(pods, [all as never]).violating).toEqual([]);
});
