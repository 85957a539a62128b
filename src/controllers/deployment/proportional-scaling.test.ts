import { expect, test } from "vitest";
import { isScaled, planScale } from "./proportional-scaling.ts";
import { deployment, type ReplicaSetTraits, replicaSet } from "./replica-set.test-support.ts";

interface Row {
  readonly name: string;
  readonly replicas: number;
  readonly maxSurge?: number | string;
  readonly strategy?: "Recreate";
  readonly status?: { readonly replicas: number };
  readonly current?: ReplicaSetTraits;
  readonly old?: Readonly<Record<string, ReplicaSetTraits>>;
  /** The sizes that follow. */
  readonly steps: string;
}

const read = ({ replicas, maxSurge = 0, strategy, status, current, old = {} }: Row) => ({
  deployment: deployment(replicas, {
    maxSurge,
    ...(strategy && { spec: { strategy: { type: strategy } } }),
    ...(status && { status }),
  }),
  replicaSets: {
    current: current && replicaSet("new", { age: 1, ...current }),
    old: Object.entries(old).map(([name, traits]) => replicaSet(name, traits)),
  },
});

test.each<Row>([
  { name: "without a replica set there is nothing to do", replicas: 5, steps: "" },
  { name: "the only one follows", replicas: 5, current: { size: 3 }, steps: "new:5" },
  { name: "one that has the size stays", replicas: 5, current: { size: 5 }, steps: "" },
  {
    name: "one that has the size stays, though it remembers another",
    replicas: 5,
    old: { a: { size: 5, annotated: "3/4" } },
    steps: "",
  },
  {
    name: "one that is empty waits for its size",
    replicas: 5,
    current: { size: 0 },
    old: { a: {} },
    steps: "new:5",
  },
  {
    name: "of empty old ones the youngest is taken",
    replicas: 5,
    old: { a: { age: 9 }, b: { age: 3 }, c: { age: 5 } },
    steps: "b:5",
  },
  {
    name: "when the new one has all, the old ones go",
    replicas: 5,
    current: { size: 5, annotated: "5/6" },
    old: { a: { size: 2 }, b: { size: 1 } },
    steps: "a:0 b:0",
  },
  {
    name: "not where pods are replaced at once",
    replicas: 5,
    strategy: "Recreate",
    current: { size: 3 },
    old: { a: { size: 2 } },
    steps: "",
  },
  {
    name: "each grows by its share, the rest goes to the largest",
    replicas: 15,
    maxSurge: 3,
    current: { size: 5, available: 0, annotated: "10/13" },
    old: { a: { size: 8, annotated: "10/13" } },
    steps: "a:11 new:7",
  },
  {
    name: "each shrinks by its share",
    replicas: 5,
    current: { size: 5, available: 0, annotated: "10/10" },
    old: { a: { size: 5, annotated: "10/10" } },
    steps: "a:2 new:3",
  },
  {
    name: "of equals the younger grows more",
    replicas: 11,
    current: { size: 5, available: 0, annotated: "10/10" },
    old: { a: { size: 5, annotated: "10/10" } },
    steps: "new:6 a:5",
  },
  {
    name: "three have their shares",
    replicas: 20,
    current: { size: 2, available: 0, annotated: "10/10" },
    old: { a: { size: 5, annotated: "10/10" }, b: { size: 3, annotated: "10/10" } },
    steps: "a:10 b:6 new:4",
  },
  {
    name: "none has any where none is wanted",
    replicas: 0,
    maxSurge: 3,
    current: { size: 2, available: 0, annotated: "10/13" },
    old: { a: { size: 8, annotated: "10/13" } },
    steps: "a:0 new:0",
  },
  {
    name: "who remembers nothing is measured by what the status says",
    replicas: 20,
    status: { replicas: 10 },
    current: { size: 4, available: 0 },
    old: { a: { size: 6 } },
    steps: "a:12 new:8",
  },
  {
    name: "what cannot be measured leaves all to the largest",
    replicas: 20,
    current: { size: 4, available: 0 },
    old: { a: { size: 6 } },
    steps: "a:16 new:4",
  },
  {
    name: "sizes stay where they fit already, and are remembered",
    replicas: 2,
    maxSurge: 1,
    current: { size: 1, available: 0, annotated: "3/4" },
    old: { a: { size: 2, annotated: "3/4" } },
    steps: "a:2 new:1",
  },
])("planScale: $name", (row) => {
  const { deployment, replicaSets } = read(row);
  const steps = planScale(deployment, replicaSets);
  const texts = steps.map(({ replicaSet, size }) => `${replicaSet.metadata.name}:${size}`);
  const order = (text: string): string[] => text.split(" ").sort();
  expect(order(texts.join(" "))).toEqual(order(row.steps));
});

test.each<[string, ReplicaSetTraits, boolean]>([
  ["it is where a replica set remembers another size", { size: 1, annotated: "3/4" }, true],
  ["it is not where it remembers this one", { size: 1, annotated: "5/9" }, false],
  ["it is not where it remembers none", { size: 1 }, false],
  ["empty ones do not count", { size: 0, annotated: "3/4" }, false],
  [
    "what is no number does not count",
    { size: 1, annotations: { "deployment.kubernetes.io/desired-replicas": "-3" } },
    false,
  ],
])("isScaled: %s", (_, old, expected) => {
  const replicaSets = { current: undefined, old: [replicaSet("a", old)] };
  expect(isScaled(deployment(5), replicaSets)).toBe(expected);
});
