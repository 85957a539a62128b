import { expect, test } from "vitest";
import { noLog } from "../base/log.ts";
import { SeededRandom } from "../base/random.ts";
import { Extenders } from "./extenders/extenders.ts";
import { CycleState } from "./framework/cycle-state.ts";
import {
  aNodeInfo,
  aPodInfo,
  basics,
  dependenciesOf,
  frameworkOf,
  snapshotOf,
} from "./framework/framework.test-support.ts";
import type { NodeInfo } from "./framework/node-info.ts";
import type { Plugin } from "./framework/plugin.ts";
import { status } from "./framework/status.ts";
import { highest, nodesToFind, PodScheduler, type ScheduleResult } from "./schedule-pod.ts";

const pod = aPodInfo("p");
const nodesCalled = (...names: string[]): NodeInfo[] => names.map((name) => aNodeInfo(name));
const numbered = (count: number): NodeInfo[] =>
  nodesCalled(...Array.from({ length: count }, (_, i) => `n${i}`));

function schedulerOf(nodes: readonly NodeInfo[], plugins: readonly Plugin[], percentage = 0) {
  const scheduler = new PodScheduler({
    snapshot: snapshotOf(nodes),
    random: new SeededRandom(1),
    percentageOfNodesToScore: percentage,
    extenders: new Extenders([], noLog),
  });
  const framework = frameworkOf([...basics, ...plugins], dependenciesOf(nodes));
  return (one = pod) => scheduler.schedule(framework, new CycleState(), one) as ScheduleResult;
}

const only = (...names: string[]): Plugin => ({
  name: "Only",
  filter: (_, _pod, { name }) => (names.includes(name) ? undefined : status("Unschedulable", "no")),
});

test("without nodes, scheduling fails", () => {
  expect(() => schedulerOf([], [])()).toThrow("no nodes available to schedule pods");
});

test("if no node fits, the error has the reason of each", () => {
  const schedule = schedulerOf(nodesCalled("a", "b"), [only("c")]);
  expect(schedule).toThrow("0/2 nodes are available: 2 no.");
});

test("a single node that fits is chosen without scoring", () => {
  let asked = 0;
  const scores: Plugin = { name: "Scores", score: () => asked++ };
  expect(schedulerOf(nodesCalled("a", "b", "c"), [only("b"), scores])()).toEqual({
    node: "b",
    evaluatedNodes: 3,
    feasibleNodes: 1,
  });
  expect(asked).toBe(0);
});

test("the node with the highest score is chosen", () => {
  const prefersC: Plugin = { name: "Scores", score: (_, _pod, { name }) => (name === "c" ? 9 : 1) };
  expect(schedulerOf(nodesCalled("a", "b", "c"), [prefersC])().node).toBe("c");
});

test("an error of a plugin fails the attempt", () => {
  const broken: Plugin = {
    name: "Broken",
    filter() {
      throw new Error("boom");
    },
  };
  expect(schedulerOf(nodesCalled("a"), [broken])).toThrow('running "Broken" filter plugin: boom');
});

test("the nominated node is tried first, and chosen if it fits", () => {
  const nominated = aPodInfo("p", { status: { nominatedNodeName: "b" } });
  const scores: Plugin = { name: "Scores", score: (_, _pod, { name }) => (name === "a" ? 9 : 1) };
  const schedule = schedulerOf(nodesCalled("a", "b"), [scores]);
  expect(schedule(nominated)).toMatchObject({ node: "b", feasibleNodes: 1 });
  const elsewhere = schedulerOf(nodesCalled("a", "b"), [only("a"), scores]);
  expect(elsewhere(nominated).node).toBe("a");
});

test("only the nodes of a PreFilterResult are considered", () => {
  const looked: string[] = [];
  const names: Plugin = {
    name: "Names",
    preFilter: () => ({ nodeNames: new Set(["c", "gone"]) }),
    filter(_, _pod, { name }) {
      looked.push(name);
      return status("Unschedulable", "no");
    },
  };
  expect(schedulerOf(nodesCalled("a", "b", "c"), [names])).toThrow(
    "0/3 nodes are available: 1 no, 2 node(s) didn't satisfy plugin(s) [Names].",
  );
  expect(looked).toEqual(["c"]);
});

test.each([
  [50, 0, 50],
  [99, 10, 99],
  [100, 0, 100],
  [1000, 0, 420],
  [5000, 0, 500],
  [6000, 0, 300],
  [10_000, 0, 500],
  [1000, 70, 700],
  [1000, 1, 100],
])("nodesToFind: of %d nodes at %d percent, %d are enough", (nodes, percentage, expected) => {
  expect(nodesToFind(nodes, percentage)).toBe(expected);
});

test("the search ends with enough nodes, and the next one starts where it ended", () => {
  const looked: string[] = [];
  const all: Plugin = {
    name: "All",
    filter(_, _pod, { name }) {
      looked.push(name);
      return undefined;
    },
    score: () => 0,
  };
  const schedule = schedulerOf(numbered(250), [all], 50);
  expect(schedule()).toMatchObject({ evaluatedNodes: 125, feasibleNodes: 125 });
  schedule();
  schedule();
  expect([looked[0], looked[125], looked[250], looked[374]]).toEqual(["n0", "n125", "n0", "n124"]);
});

test("without score plugins, the first node that fits is chosen", () => {
  expect(schedulerOf(numbered(10), [only("n3", "n4")])()).toEqual({
    node: "n3",
    evaluatedNodes: 4,
    feasibleNodes: 1,
  });
});

test("highest: equal scores are chosen with equal probability", () => {
  const random = new SeededRandom(7);
  const counts = [0, 0, 0, 0];
  for (let i = 0; i < 3000; i++) {
    const at = highest([5, 9, 9, 9], random);
    counts[at] = (counts[at] ?? 0) + 1;
  }
  expect(counts[0]).toBe(0);
  for (const count of counts.slice(1)) expect(Math.abs(count - 1000)).toBeLessThan(120);
});
