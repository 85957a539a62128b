import { expect, test } from "vitest";
import { newSize, nextSize, planScaleDown } from "./plan-rolling-update.ts";
import { deployment, type ReplicaSetTraits, replicaSet } from "./replica-set.test-support.ts";

interface Row {
  readonly name: string;
  readonly replicas: number;
  readonly maxSurge?: number | string;
  readonly maxUnavailable?: number | string;
  readonly current: ReplicaSetTraits;
  readonly old: Readonly<Record<string, ReplicaSetTraits>>;
}

const read = ({ replicas, maxSurge = 0, maxUnavailable = 0, current, old }: Row) => ({
  deployment: deployment(replicas, { maxSurge, maxUnavailable }),
  current: replicaSet("new", current),
  old: Object.entries(old).map(([name, traits]) => replicaSet(name, traits)),
});

test.each<Row & { readonly size: number }>([
  {
    name: "new pods come as far as surge allows",
    replicas: 10,
    maxSurge: 3,
    current: { size: 0 },
    old: { a: { size: 10 } },
    size: 3,
  },
  {
    name: "no new pods come where there is no room",
    replicas: 10,
    current: { size: 2 },
    old: { a: { size: 8 } },
    size: 2,
  },
  {
    name: "never more come than are wanted",
    replicas: 5,
    maxSurge: 10,
    current: { size: 3 },
    old: { a: { size: 1 } },
    size: 5,
  },
  {
    name: "what is too large shrinks, whatever there is besides",
    replicas: 5,
    current: { size: 8 },
    old: { a: { size: 8 } },
    size: 5,
  },
])("nextSize: $name", (row) => {
  const { deployment, current, old } = read(row);
  expect(nextSize(deployment, current, [...old, current])).toBe(row.size);
});

test("newSize: a recreation creates all pods at once", () => {
  const { spec } = deployment(7, { spec: { strategy: { type: "Recreate" } } });
  expect(newSize(spec, { total: 100, current: 0 })).toBe(7);
});

test("newSize: an unknown strategy is an error", () => {
  const { spec } = deployment(7, { spec: { strategy: { type: "Slow" as never } } });
  expect(() => newSize(spec, { total: 0, current: 0 })).toThrow(
    "deployment type Slow isn't supported",
  );
});

test.each<Row & { readonly steps: string }>([
  {
    name: "nothing goes while new pods are not available",
    replicas: 10,
    maxSurge: 3,
    current: { size: 3, available: 0 },
    old: { a: { size: 10 } },
    steps: "",
  },
  {
    name: "as many go as may be missing",
    replicas: 10,
    maxUnavailable: 2,
    current: { size: 0 },
    old: { a: { size: 10 } },
    steps: "a:8",
  },
  {
    name: "as many go as have come",
    replicas: 10,
    maxSurge: 3,
    current: { size: 3, available: 2 },
    old: { a: { size: 10 } },
    steps: "a:8",
  },
  {
    name: "pods that are not available go first, and then others, in steps of their own",
    replicas: 10,
    maxUnavailable: 2,
    current: { size: 0 },
    old: { a: { size: 9, available: 9 }, b: { size: 1, available: 0 } },
    steps: "b:0 a:8",
  },
  {
    name: "one may take both steps",
    replicas: 10,
    maxUnavailable: 4,
    current: { size: 0 },
    old: { a: { size: 10, available: 8 } },
    steps: "a:8 a:6",
  },
  {
    name: "no more of the unavailable go than may",
    replicas: 4,
    maxSurge: 2,
    maxUnavailable: 1,
    current: { size: 2, available: 0 },
    old: { a: { size: 4, available: 0 } },
    steps: "a:3",
  },
  {
    name: "the oldest shrinks first",
    replicas: 6,
    maxSurge: 2,
    current: { size: 5 },
    old: { b: { size: 2, age: 10 }, a: { size: 1, age: 20 } },
    steps: "a:0 b:1",
  },
  {
    name: "a rollover takes from all that are old",
    replicas: 10,
    maxSurge: 3,
    maxUnavailable: 2,
    current: { size: 0 },
    old: { a: { size: 8 }, b: { size: 5, available: 0 } },
    steps: "b:0",
  },
  {
    name: "an old pod that fails does not make the new ones' lack worse",
    replicas: 10,
    maxSurge: 3,
    maxUnavailable: 2,
    current: { size: 5, available: 0 },
    old: { a: { size: 8, available: 7 } },
    steps: "",
  },
  { name: "nothing is left to go", replicas: 1, current: { size: 1 }, old: { a: {} }, steps: "" },
])("planScaleDown: $name", (row) => {
  const { deployment, current, old } = read(row);
  const steps = planScaleDown(deployment, current, old);
  expect(steps.map(({ replicaSet, size }) => `${replicaSet.metadata.name}:${size}`).join(" ")).toBe(
    row.steps,
  );
});
