import { expect, test } from "vitest";
import { CycleState } from "./cycle-state.ts";
import { NodeStatuses } from "./diagnosis.ts";
import {
  aNodeInfo,
  aPodInfo,
  basics,
  dependenciesOf,
  frameworkOf,
} from "./framework.test-support.ts";
import { Framework } from "./framework.ts";
import type { Plugin } from "./plugin.ts";
import { errorStatus, skip, status } from "./status.ts";

const pod = aPodInfo("p");
const node = aNodeInfo("n");
const framework = (...plugins: Plugin[]) => frameworkOf([...basics, ...plugins]);

test("filters run in order, and the first rejection is the result", () => {
  const asked: string[] = [];
  const filter = (name: string, outcome?: string): Plugin => ({
    name,
    filter() {
      asked.push(name);
      return outcome === undefined ? undefined : status("Unschedulable", outcome);
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

test("an error of a filter names the plugin", () => {
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

test("a plugin that skips preFilter is not run for nodes", () => {
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

test("preFilter: errors and unresolvable rejections end the cycle at once, others after all plugins ran", () => {
  const says = (name: string, outcome: ReturnType<typeof status>): Plugin => ({
    name,
    preFilter: () => outcome,
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

test("preFilter: node names are intersected, and plugins that leave none are named", () => {
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

test("filters run with nominated pods and without them; both must succeed", () => {
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
    const dependencies = {
      ...dependenciesOf([node]),
      hasNominatedPods: () => true,
      nominatedPods: () => [waits(priority)],
    };
    const one = frameworkOf([...basics, counts], dependencies);
    return one.runFiltersWithNominatedPods(new CycleState(), pod, node)?.reasons;
  };
  // A nominated pod of equal priority counts as present.
  expect(run(0)).toEqual(["full"]);
  expect(seen).toEqual([3000]);
  // One of lower priority does not count.
  expect(run(-1)).toBeUndefined();
  expect(seen).toEqual([0]);
});

test("the filters run again without the nominated pod", () => {
  // Fits only beside the nominated pod, which may not arrive.
  const likes: Plugin = {
    name: "Likes",
    filter: (_, _pod, { pods }) => (pods.length > 0 ? undefined : status("Unschedulable", "alone")),
  };
  const dependencies = {
    ...dependenciesOf([node]),
    hasNominatedPods: () => true,
    nominatedPods: () => [waits(5)],
  };
  const one = frameworkOf([...basics, likes], dependencies);
  expect(one.runFiltersWithNominatedPods(new CycleState(), pod, node)?.reasons).toEqual(["alone"]);
});

test("postFilter: plugins run until one succeeds; their messages are joined", async () => {
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

test("score: scores are normalized, weighted and added", () => {
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

test("score: skipped plugins do not count; an error or a score out of range is an error", () => {
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

test("a plugin that is unknown or cannot be created is named", () => {
  const profile = { plugins: { multiPoint: { enabled: [{ name: "Broken" }] } } };
  const broken = {
    Broken: () => {
      throw new Error("no args");
    },
  };
  expect(() => new Framework(profile, broken, dependenciesOf([]))).toThrow(
    'initializing plugin "Broken": no args',
  );
  expect(() => new Framework(profile, {}, dependenciesOf([]))).toThrow('"Broken" does not exist');
});
