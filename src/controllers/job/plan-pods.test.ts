import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { failureCountAnnotation } from "./completion-index.ts";
import { noFailures } from "./failure-backoff.ts";
import { jobOf, podOf } from "./job.test-support.ts";
import { jobFacts } from "./job-facts.ts";
import { planPods } from "./plan-pods.ts";

const now = Date.parse("2026-01-01T00:10:00Z");
const recent = { failures: 2, lastFailure: now - 5000 };
const indexed = { completionMode: "Indexed", completions: 4, parallelism: 2 };
const limited = { ...indexed, backoffLimitPerIndex: 3 };
const at = (index: number, rest: object = {}): Pod => podOf(`p${index}`, { index, ...rest });
const failedAt = (index: number, secondsAgo: number, failures = 0): Pod =>
  podOf(`f${index}`, {
    index,
    phase: "Failed",
    created: new Date(now - secondsAgo * 1000).toISOString(),
    annotations: { [failureCountAnnotation]: `${failures}` },
  });
const pending = { spec: { nodeName: "" } };

each<[string, object, readonly Pod[], typeof noFailures, string]>([
  ["as many as run at once", {}, [], noFailures, "create - -"],
  ["as many as are missing", { completions: 1 }, [], noFailures, "create -"],
  [
    "none after a success without completions",
    {},
    [podOf("a", { phase: "Succeeded" })],
    noFailures,
    "none",
  ],
  ["none for those that run", {}, [podOf("a"), podOf("b")], noFailures, "none"],
  [
    "excess ones go, pending ones first",
    { parallelism: 1 },
    [podOf("a"), podOf("b", pending)],
    noFailures,
    "delete b",
  ],
  [
    "all of a suspended job go",
    { suspend: true },
    [podOf("a"), podOf("b")],
    noFailures,
    "delete a b",
  ],
  ["failures delay", {}, [podOf("a")], recent, "wait 15000"],
  [
    "those being deleted are replaced at once",
    {},
    [podOf("a"), podOf("b", { isGoing: true })],
    noFailures,
    "create -",
  ],
  [
    "or only once they have failed",
    { podReplacementPolicy: "Failed" },
    [podOf("a"), podOf("b", { isGoing: true })],
    noFailures,
    "none",
  ],
  ["the first indexes", indexed, [], noFailures, "create 0 1"],
  ["those without a pod", indexed, [at(0)], noFailures, "create 1"],
  [
    "those that have not succeeded",
    indexed,
    [at(0, { phase: "Succeeded" }), at(2)],
    noFailures,
    "create 1",
  ],
  [
    "a second pod of an index goes, as do those beyond",
    { ...indexed, parallelism: 4 },
    [at(0), podOf("x", { index: 0, ...pending }), at(7), podOf("y")],
    noFailures,
    "delete p7 y x",
  ],
  ["an index waits for its own failure only", limited, [failedAt(0, 4)], recent, "create 1"],
  [
    "a later failure of the index waits longer",
    { ...limited, parallelism: 1 },
    [failedAt(0, 15, 1)],
    noFailures,
    "wait 5000",
  ],
  [
    "after the wait it is created",
    { ...limited, parallelism: 1 },
    [failedAt(0, 21, 1)],
    noFailures,
    "create 0",
  ],
])("planPods: %s", (_, spec, pods, backoff, wanted) => {
  const plan = planPods(jobFacts(jobOf(spec), pods), backoff, now);
  const words = {
    none: () => [],
    wait: () => ["ms" in plan && plan.ms],
    delete: () => ("pods" in plan ? plan.pods.map(({ metadata }) => metadata.name) : []),
    create: () => ("indexes" in plan ? plan.indexes.map((index) => index ?? "-") : []),
  };
  expect([plan.type, ...words[plan.type]()].join(" ")).toBe(wanted);
});

each<[number, number]>([
  [499, 499],
  [501, 500],
])("planPods: of %i missing pods, %i are created", (parallelism, count) => {
  const plan = planPods(jobFacts(jobOf({ parallelism }), []), noFailures, now);
  expect(plan).toMatchObject({ type: "create", indexes: { length: count } });
});
