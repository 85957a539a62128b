import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { type Log, noLog } from "../../base/log.ts";
import { aNode, aPod, aPodInfo } from "../framework/framework.test-support.ts";
import { differenceOf, reportCache } from "./cache-report.ts";
import { SchedulerCache } from "./scheduler-cache.ts";

each<[actual: string[], cached: string[], missed: string[], redundant: string[]]>([
  [["foo", "bar"], ["bar", "foo", "foobar"], [], ["foobar"]],
  [["foo", "bar", "foobar"], ["bar", "foo"], ["foobar"], []],
  [["b", "a"], [], ["a", "b"], []],
  [["a"], ["a"], [], []],
  [[], [], [], []],
])(
  "differenceOf: of %j and %j, %j are missed and %j redundant",
  (actual, cached, missed, redundant) => {
    expect(differenceOf(actual, cached)).toEqual({ missed, redundant });
  },
);

/** What is logged of a cache with the node `a` and a pod on it, and a queue with a pod. */
function logged({ nodes = ["a"], pods = ["bound", "pending"] } = {}): [string, unknown][] {
  const lines: [string, unknown][] = [];
  const log: Log = { ...noLog, info: (message, fields) => lines.push([message, fields]) };
  const cache = new SchedulerCache();
  cache.setNode(aNode("a", { allocatable: { "example.com/gpu": "2" } }));
  cache.assume(aPodInfo("bound", { requests: { cpu: "1" }, spec: { nodeName: "a" } }));
  reportCache({
    log,
    cache,
    queue: {
      pending: () => ({ active: [], backoff: [], unschedulable: ["default/pending"] }),
      nominatedPods: () => [aPodInfo("pending")],
    },
    nodes: nodes.map((name) => aNode(name)),
    pods: pods.map((name) => aPod(name)),
  });
  return lines;
}

test("reportCache: what is kept is logged, and nothing else if it is what there is", () => {
  expect(logged()).toEqual([
    [
      "Dump of cached NodeInfo",
      {
        nodes: [
          {
            name: "a",
            isDeleted: false,
            pods: ["default/bound"],
            assumed: ["default/bound"],
            nominated: ["default/pending"],
            requested: expect.objectContaining({ milliCpu: 1000 }),
            allocatable: expect.objectContaining({ milliCpu: 4000, "example.com/gpu": 2 }),
          },
        ],
      },
    ],
    ["Dump of scheduling queue", { active: [], backoff: [], unschedulable: ["default/pending"] }],
  ]);
});

test("reportCache: nodes and pods that are not kept, or should not be, are named", () => {
  expect(logged({ nodes: ["a", "b"], pods: ["bound", "other"] }).slice(0, 2)).toEqual([
    ["Cache mismatch", { missedNodes: ["b"], redundantNodes: [] }],
    ["Cache mismatch", { missedPods: ["default/other"], redundantPods: ["default/pending"] }],
  ]);
});
