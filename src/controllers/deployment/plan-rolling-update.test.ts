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
    name: "new pods are created as far as surge allows",
    replicas: 10,
    maxSurge: 3,
    current: { size: 0 },
    old: { a: { size: 10 } },
    size: 3,
  },
  {
    name: "no new pods are created without room for surge",
    replicas: 10,
    current: { size: 2 },
    old: { a: { size: 8 } },
    size: 2,
  },
  {
    name: "the new replica set never exceeds the desired size",
    replicas: 5,
    maxSurge: 10,
    current: { size: 3 },
    old: { a: { size: 1 } },
    size: 5,
  },
  {
    name: "a replica set that is too large is scaled down",
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
    name: "no old pods are deleted while new ones are unavailable",
    replicas: 10,
    maxSurge: 3,
    current: { size: 3, available: 0 },
    old: { a: { size: 10 } },
    steps: "",
  },
  {
    name: "as many old pods are deleted as may be unavailable",
    replicas: 10,
    maxUnavailable: 2,
    current: { size: 0 },
    old: { a: { size: 10 } },
    steps: "a:8",
  },
  {
    name: "as many old pods are deleted as new ones are available",
    replicas: 10,
    maxSurge: 3,
    current: { size: 3, available: 2 },
    old: { a: { size: 10 } },
    steps: "a:8",
  },
  {
    name: "unavailable pods are deleted first, and others in further steps",
    replicas: 10,
    maxUnavailable: 2,
    current: { size: 0 },
    old: { a: { size: 9, available: 9 }, b: { size: 1, available: 0 } },
    steps: "b:0 a:8",
  },
  {
    name: "a replica set may have both steps",
    replicas: 10,
    maxUnavailable: 4,
    current: { size: 0 },
    old: { a: { size: 10, available: 8 } },
    steps: "a:8 a:6",
  },
  {
    name: "unavailable pods are deleted within the limit",
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
    name: "a rollover scales all old replica sets down",
    replicas: 10,
    maxSurge: 3,
    maxUnavailable: 2,
    current: { size: 0 },
    old: { a: { size: 8 }, b: { size: 5, available: 0 } },
    steps: "b:0",
  },
  {
    name: "no old pods are deleted if an old one fails and new ones are unavailable",
    replicas: 10,
    maxSurge: 3,
    maxUnavailable: 2,
    current: { size: 5, available: 0 },
    old: { a: { size: 8, available: 7 } },
    steps: "",
  },
  { name: "no old pods are left", replicas: 1, current: { size: 1 }, old: { a: {} }, steps: "" },
])("planScaleDown: $name", (row) => {
  const { deployment, current, old } = read(row);
  const steps = planScaleDown(deployment, current, old);
  expect(steps.map(({ replicaSet, size }) => `${replicaSet.metadata.name}:${size}`).join(" ")).toBe(
    row.steps,
  );
});
