import { expect, test } from "vitest";
import { CycleState } from "./cycle-state.ts";
import { NodeStatuses } from "./diagnosis.ts";
import {
  aNodeInfo,
  aPodInfo,
  basics,
  frameworkOf,
  surroundingsOf,
} from "./framework.test-support.ts";
import { Framework } from "./framework.ts";
import type { Plugin } from "./plugin.ts";
import { errorStatus, skip, status } from "./status.ts";

const pod = aPodInfo("p");
const node = aNodeInfo("n");
const framework = (...plugins: Plugin[]) => frameworkOf([...basics, ...plugins]);

test("filters are asked in order, and the first that says no is heard", () => {
  const asked: string[] = [];
  const filter = (name: string, said?: string): Plugin => ({
    name,
    filter() {
      asked.push(name);
      return said === undefined ? undefined : status("Unschedulable", said);
    },
  });
  const { runFilters } = framework(
    filter("A"),
    filter("B", "no"),
    filter("C", "never asked"),
  ).handle;
  expect(runFilters(new CycleState(), pod, node)).toEqual({
    code: "Unschedulable",
    reasons: ["no"],
    plugin: "B",
  });
  expect(asked).toEqual(["A", "B"]);
});

test("a filter that throws is a fault that says whose it is", () => {
  const broken: Plugin = {
    name: "Broken",
    filter() {
      throw new Error("boom");
    },
  };
  expect(framework(broken).runFilters(new CycleState(), pod, node)).toMatchObject({
    code: "Error",
    reasons: ['running "Broken" filter plugin: boom'],
  });
});

test("a plugin that has nothing to say of a pod is not asked about nodes", () => {
  const quiet: Plugin = {
    name: "Quiet",
    preFilter: () => skip,
    filter: () => status("Unschedulable"),
  };
  const one = framework(quiet);
  const state = new CycleState();
  expect(one.runPreFilters(state, pod, [node]).status).toBeUndefined();
  expect(one.runFilters(state, pod, node)).toBeUndefined();
});

test("preFilter: a fault ends the cycle; what cannot change ends it at once, what can after the others", () => {
  const says = (name: string, said: ReturnType<typeof status>): Plugin => ({
    name,
    preFilter: () => said,
    filter: () => undefined,
  });
  const outcome = (...plugins: Plugin[]) =>
    framework(...plugins).runPreFilters(new CycleState(), pod, [node]).status;
  expect(outcome(says("A", errorStatus(new Error("x"))))).toMatchObject({
    code: "Error",
    reasons: ['running PreFilter plugin "A": x'],
  });
  const maybe = says("Maybe", status("Unschedulable", "maybe"));
  const never = says("Never", status("UnschedulableAndUnresolvable", "never"));
  expect(outcome(maybe, never)).toMatchObject({ reasons: ["never"], plugin: "Never" });
  expect(outcome(maybe)).toMatchObject({ reasons: ["maybe"], plugin: "Maybe" });
});

test("preFilter: only nodes that all name come into question, and those who leave none are named", () => {
  const names = (name: string, ...nodes: string[]): Plugin => ({
    name,
    preFilter: () => ({ nodeNames: new Set(nodes) }),
    filter: () => undefined,
  });
  const run = (...plugins: Plugin[]) =>
    framework(...plugins).runPreFilters(new CycleState(), pod, []);
  expect(run(names("A", "x", "y"), names("B", "y", "z")).nodeNames).toEqual(new Set(["y"]));
  expect(run(names("B", "x"), names("A", "y")).status).toMatchObject({
    code: "UnschedulableAndUnresolvable",
    reasons: ["node(s) didn't satisfy plugin(s) [A B] simultaneously"],
  });
  expect(run(names("A")).status?.reasons).toEqual(["node(s) didn't satisfy plugin A"]);
});

const waits = (priority: number) =>
  aPodInfo("nominated", { requests: { cpu: "3" }, spec: { priority } });

test("filters run with the pods that others make room for and without them; both must hold", () => {
  const seen: number[] = [];
  const counts: Plugin = {
    name: "Counts",
    filter: (_, _pod, { requested }) => {
      seen.push(requested.milliCpu);
      return requested.milliCpu > 1000 ? status("Unschedulable", "full") : undefined;
    },
  };
  const run = (priority: number) => {
    seen.length = 0;
    const surroundings = {
      ...surroundingsOf([node]),
      hasNominatedPods: () => true,
      nominatedPods: () => [waits(priority)],
    };
    const one = frameworkOf([...basics, counts], surroundings);
    return one.runFiltersWithNominatedPods(new CycleState(), pod, node)?.reasons;
  };
  // One that is as important counts as if it were there already.
  expect(run(0)).toEqual(["full"]);
  expect(seen).toEqual([3000]);
  // One that is less important does not count.
  expect(run(-1)).toBeUndefined();
  expect(seen).toEqual([0]);
});

test("without a pod that others make room for, the node is looked at once more", () => {
  // Suits only where the other is: it may not come after all.
  const likes: Plugin = {
    name: "Likes",
    filter: (_, _pod, { pods }) => (pods.length > 0 ? undefined : status("Unschedulable", "alone")),
  };
  const surroundings = {
    ...surroundingsOf([node]),
    hasNominatedPods: () => true,
    nominatedPods: () => [waits(5)],
  };
  const one = frameworkOf([...basics, likes], surroundings);
  expect(one.runFiltersWithNominatedPods(new CycleState(), pod, node)?.reasons).toEqual(["alone"]);
});

test("postFilter: plugins are asked until one helps; what they say adds up", async () => {
  const says = (name: string, reason?: string, nominatedNode?: string): Plugin => ({
    name,
    postFilter: () =>
      reason === undefined
        ? { nominatedNode }
        : { status: status("Unschedulable", reason), nominatedNode },
  });
  const run = (...plugins: Plugin[]) =>
    framework(...plugins).runPostFilters(new CycleState(), pod, new NodeStatuses());
  expect(await run(says("A", "no"), says("B", "neither"))).toMatchObject({
    status: { code: "Unschedulable", reasons: ["no", "neither"], plugin: "A" },
  });
  expect(await run(says("A", "no"), says("B", undefined, "n"), says("C", "never asked"))).toEqual({
    nominatedNode: "n",
  });
  const broken: Plugin = { name: "X", postFilter: () => Promise.reject(new Error("boom")) };
  expect(await run(broken, says("B"))).toMatchObject({
    status: { code: "Error", reasons: ["boom"] },
  });
});

test("score: scores are normalized, multiplied by their weights, and added up", () => {
  const nodes = [aNodeInfo("a"), aNodeInfo("b")];
  const scores: Plugin = {
    name: "Scores",
    score: (_, _pod, { name }) => (name === "a" ? 1 : 2),
    normalizeScore(_, _pod, { values }) {
      for (const [i, value] of values.entries()) values[i] = value * 50;
    },
  };
  const flat: Plugin = { name: "Flat", score: () => 7 };
  const plugins = [...basics, scores, flat];
  const one = frameworkOf(plugins, undefined, {
    plugins: {
      multiPoint: {
        enabled: plugins.map(({ name }) => ({ name, weight: name === "Scores" ? 3 : 1 })),
      },
    },
  });
  expect(one.runScores(new CycleState(), pod, nodes)).toEqual([157, 307]);
});

test("score: a plugin that skips does not count, one that throws or leaves the range is a fault", () => {
  const skips: Plugin = { name: "Skips", preScore: () => skip, score: () => 50 };
  const one = framework(skips);
  const state = new CycleState();
  expect(one.runPreScores(state, pod, [node])).toBeUndefined();
  expect(one.runScores(state, pod, [node])).toEqual([0]);
  const wild: Plugin = { name: "Wild", score: () => 101 };
  expect(() => framework(wild).runScores(new CycleState(), pod, [node])).toThrow(
    'plugin "Wild" returns an invalid score 101, it should in the range of [0, 100] after normalizing',
  );
  const broken: Plugin = {
    name: "Broken",
    preScore() {
      throw new Error("boom");
    },
  };
  expect(framework(broken).runPreScores(new CycleState(), pod, [node])).toMatchObject({
    code: "Error",
    reasons: ['running PreScore plugin "Broken": boom'],
  });
});

test("a plugin that cannot be made, and one that is not there, is named", () => {
  const profile = { plugins: { multiPoint: { enabled: [{ name: "Broken" }] } } };
  const broken = {
    Broken: () => {
      throw new Error("no args");
    },
  };
  expect(() => new Framework(profile, broken, surroundingsOf([]))).toThrow(
    'initializing plugin "Broken": no args',
  );
  expect(() => new Framework(profile, {}, surroundingsOf([]))).toThrow('"Broken" does not exist');
});
