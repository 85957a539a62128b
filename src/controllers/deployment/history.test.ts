import { expect, test } from "vitest";
import { beyondHistory } from "./history.ts";
import { ago, deployment, type ReplicaSetTraits, replicaSet } from "./replica-set.test-support.ts";

const at = (revision: string, traits: ReplicaSetTraits = {}): ReplicaSetTraits => ({
  annotations: { "deployment.kubernetes.io/revision": revision },
  ...traits,
});

test.each<[string, number, Readonly<Record<string, ReplicaSetTraits>>, string]>([
  ["the lowest revisions go", 1, { a: at("3"), b: at("1"), c: at("2") }, "b c"],
  ["none goes while there is room", 3, { a: at("3"), b: at("1"), c: at("2") }, ""],
  ["none is kept where none is wanted", 0, { a: at("1") }, "a"],
  ["all are kept where there is no limit", 2 ** 31 - 1, { a: at("1") }, ""],
  ["of equal revisions the older goes", 1, { a: at("1", { age: 1 }), b: at("1", { age: 9 }) }, "b"],
  ["one that should have pods stays", 0, { a: at("1", { size: 1, status: { replicas: 0 } }) }, ""],
  ["one that has pods stays", 0, { a: at("1", { status: { replicas: 1 } }) }, ""],
  [
    "a replica set with an outdated status is kept",
    0,
    { a: at("1", { metadata: { generation: 2 } }) },
    "",
  ],
  [
    "one that is about to go does not count",
    1,
    { a: at("1", { metadata: { deletionTimestamp: ago(1) } }), b: at("2") },
    "",
  ],
])("beyondHistory: %s", (_, revisionHistoryLimit, old, gone) => {
  const sets = Object.entries(old).map(([name, traits]) => replicaSet(name, traits));
  const result = beyondHistory(deployment(1, { spec: { revisionHistoryLimit } }), sets);
  expect(result.map(({ metadata }) => metadata.name).join(" ")).toBe(gone);
});
