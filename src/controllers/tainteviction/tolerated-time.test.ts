import { expect, test } from "vitest";
import type { Taint } from "../../api/core/v1/scheduling/taint.ts";
import type { Toleration } from "../../api/core/v1/scheduling/toleration.ts";
import { evictingTaints, type ToleratedTime, toleratedTime } from "./tolerated-time.ts";

const taint = (key: string): Taint => ({ key, effect: "NoExecute" });
const tolerate = (key: string, tolerationSeconds?: number): Toleration => ({
  key,
  operator: "Exists",
  effect: "NoExecute",
  ...(tolerationSeconds !== undefined && { tolerationSeconds }),
});

test.each<[string, readonly Taint[], readonly Toleration[] | undefined, ToleratedTime]>([
  ["without taints for ever", [], undefined, "forever"],
  ["without tolerations not at all", [taint("a")], undefined, "not"],
  ["not where one taint is not tolerated", [taint("a"), taint("b")], [tolerate("a")], "not"],
  ["for ever where all are", [taint("a"), taint("b")], [tolerate("a"), tolerate("b")], "forever"],
  ["until the toleration runs out", [taint("a")], [tolerate("a", 300)], 300_000],
  [
    "until the first of them does",
    [taint("a"), taint("b"), taint("c")],
    [tolerate("a", 300), tolerate("b", 60), tolerate("c")],
    60_000,
  ],
  [
    "one that is not needed does not count",
    [taint("a")],
    [tolerate("a", 300), tolerate("b", 60)],
    300_000,
  ],
  [
    "of several for one taint the first counts",
    [taint("a")],
    [tolerate("a", 300), tolerate("a", 60)],
    300_000,
  ],
  ["no time is tolerated for none", [taint("a")], [tolerate("a", 0)], 0],
  ["less than none is none", [taint("a"), taint("b")], [tolerate("a", -5), tolerate("b")], 0],
])("toleratedTime: %s", (_, taints, tolerations, time) => {
  expect(toleratedTime(taints, tolerations)).toBe(time);
});

test("evictingTaints: those with the effect NoExecute", () => {
  const soft: Taint = { key: "s", effect: "NoSchedule" };
  expect(evictingTaints([taint("a"), soft, { key: "p", effect: "PreferNoSchedule" }])).toEqual([
    taint("a"),
  ]);
  expect(evictingTaints(undefined)).toEqual([]);
});
