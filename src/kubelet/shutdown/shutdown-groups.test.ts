import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import {
  type ShutdownPeriod,
  type ShutdownSettings,
  shutdownGroups,
  shutdownPeriods,
} from "./shutdown-groups.ts";

const critical = 2_000_000_000;

each<[string, ShutdownSettings, readonly ShutdownPeriod[]]>([
  ["no time", { graceSeconds: 0, criticalPodsSeconds: 0 }, []],
  [
    "time for critical pods",
    { graceSeconds: 30, criticalPodsSeconds: 10 },
    [
      { priority: 0, seconds: 20 },
      { priority: critical, seconds: 10 },
    ],
  ],
  ["more for critical pods than there is", { graceSeconds: 10, criticalPodsSeconds: 20 }, []],
  [
    "by priority",
    {
      ...{ graceSeconds: 30, criticalPodsSeconds: 10 },
      byPriority: [
        { priority: 100, seconds: 5 },
        { priority: -5, seconds: 7 },
      ],
    },
    [
      { priority: -5, seconds: 7 },
      { priority: 100, seconds: 5 },
    ],
  ],
])("shutdownPeriods: %s", (_, settings, expected) => {
  expect(shutdownPeriods(settings)).toEqual(expected);
});

each<[readonly number[], readonly (number | undefined)[], readonly (readonly string[])[]]>([
  [
    [0, critical],
    [undefined, 5, critical, critical + 1000],
    [
      ["p0", "p1"],
      ["p2", "p3"],
    ],
  ],
  [[0, critical], [critical], [["p0"]]],
  [
    [10, 20, 30],
    [5, 10, 19, 20, 99],
    [["p0", "p1", "p2"], ["p3"], ["p4"]],
  ],
  [[10], [-1, 99], [["p0", "p1"]]],
])("shutdownGroups: periods from %j, pods of %j", (priorities, pods, expected) => {
  const groups = shutdownGroups(
    priorities.map((priority) => ({ priority, seconds: 1 })),
    pods.map((priority, i) => ({ metadata: { name: `p${i}` }, spec: { priority } }) as Pod),
  );
  expect(groups.map((group) => group.pods.map(({ metadata }) => metadata.name))).toEqual(expected);
});
