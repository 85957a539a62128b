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
  {
    name: "a single replica set is scaled with the deployment",
    replicas: 5,
    current: { size: 3 },
    steps: "new:5",
  },
  {
    name: "a replica set of the right size is not scaled",
    replicas: 5,
    current: { size: 5 },
    steps: "",
  },
  {
    name: "a replica set of the right size is not scaled, whatever its annotation",
    replicas: 5,
    old: { a: { size: 5, annotated: "3/4" } },
    steps: "",
  },
  {
    name: "an empty replica set is scaled",
    replicas: 5,
    current: { size: 0 },
    old: { a: {} },
    steps: "new:5",
  },
  {
    name: "of empty old replica sets, the youngest is scaled",
    replicas: 5,
    old: { a: { age: 9 }, b: { age: 3 }, c: { age: 5 } },
    steps: "b:5",
  },
  {
    name: "old replica sets are scaled to 0 once the new one has all pods",
    replicas: 5,
    current: { size: 5, annotated: "5/6" },
    old: { a: { size: 2 }, b: { size: 1 } },
    steps: "a:0 b:0",
  },
  {
    name: "not for a recreation",
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
    name: "of equal replica sets, the younger gets more",
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
    name: "all replica sets are scaled to 0",
    replicas: 0,
    maxSurge: 3,
    current: { size: 2, available: 0, annotated: "10/13" },
    old: { a: { size: 8, annotated: "10/13" } },
    steps: "a:0 new:0",
  },
  {
    name: "without an annotation, the size in the status counts",
    replicas: 20,
    status: { replicas: 10 },
    current: { size: 4, available: 0 },
    old: { a: { size: 6 } },
    steps: "a:12 new:8",
  },
  {
    name: "without a known size, the largest replica set gets all",
    replicas: 20,
    current: { size: 4, available: 0 },
    old: { a: { size: 6 } },
    steps: "a:16 new:4",
  },
  {
    name: "right sizes are kept, and written into annotations",
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
  ["true if the annotation has another size", { size: 1, annotated: "3/4" }, true],
  ["false if the annotation has the same size", { size: 1, annotated: "5/9" }, false],
  ["false if a replica set has no annotation", { size: 1 }, false],
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
