import { expect, test } from "vitest";
import { aNodeInfo, aPod, aPodInfo } from "../../framework/framework.test-support.ts";
import type { NodeInfo } from "../../framework/node-info.ts";
import { DomainTotals } from "./domain-totals.ts";
import { spreadConstraint } from "./spread-constraint.ts";

const web = { labels: { app: "web" } };
const constraint = spreadConstraint(
  {
    maxSkew: 1,
    topologyKey: "zone",
    whenUnsatisfiable: "ScheduleAnyway",
    labelSelector: { matchLabels: { app: "web" } },
  },
  aPod("p", web),
);

test("PlaceTotals: are equal to a full count after any changes", () => {
  const totals = new DomainTotals();
  const zones = ["a", "b", undefined];
  const nodes: NodeInfo[] = zones.map((zone, i) =>
    aNodeInfo(`n${i}`, { labels: zone === undefined ? {} : { zone } }),
  );
  const counted = () => Object.fromEntries(totals.of(constraint, nodes, "default"));
  expect(counted()).toEqual({});
  const put = (i: number, zone: string | undefined, pods: number) => {
    nodes[i] = aNodeInfo(
      `n${i}`,
      { labels: zone === undefined ? {} : { zone } },
      Array.from({ length: pods }, (_, j) => aPodInfo(`${i}-${j}`, web)),
    );
  };
  put(0, "a", 2);
  put(2, undefined, 1);
  expect(counted()).toEqual({ a: 2, "": 1 });
  put(0, "b", 3);
  expect(counted()).toEqual({ a: 0, b: 3, "": 1 });
  nodes.push(aNodeInfo("n3", { labels: { zone: "a" } }, [aPodInfo("x", web)]));
  expect(counted()).toEqual({ a: 1, b: 3, "": 1 });
});
