import { expect, test } from "vitest";
import { applyDefaults } from "../../../schema/language/defaults.ts";
import { normalise } from "../../../schema/language/normalise.ts";
import { At } from "../../../schema/language/report.ts";
import { expectRecorded, recordedCases } from "../../recorded.test-support.ts";
import { ReplicaSet } from "./replica-set.ts";

test.each(recordedCases("replicasets"))("$name", (recorded) => {
  expectRecorded(ReplicaSet, recorded);
});

function read(rest: object): ReplicaSet {
  const object = normalise(ReplicaSet.struct, {
    metadata: { name: "r", namespace: "n", resourceVersion: "1" },
    ...rest,
  })?.value;
  if (!object) throw new Error("not a replica set");
  applyDefaults(ReplicaSet.struct, object);
  return object;
}

test("ReplicaSet status: no part is larger than the whole, and nothing negative", () => {
  const at = At.root();
  const status = {
    replicas: 1,
    fullyLabeledReplicas: 2,
    availableReplicas: 1,
    observedGeneration: -1,
  };
  ReplicaSet.validateStatusUpdate(read({ status }), read({}), at);
  expect(at.errors.map(({ field, message }) => `${field}: ${message}`)).toEqual([
    "status.observedGeneration: Invalid value: -1: must be greater than or equal to 0",
    "status.fullyLabeledReplicas: Invalid value: 2: cannot be greater than status.replicas",
    "status.availableReplicas: Invalid value: 1: cannot be greater than readyReplicas",
  ]);
});

test.each([
  [{ matchLabels: { app: "a" } }, "app=a"],
  [{}, "<none>"],
  [{ matchLabels: { app: "not a label" } }, "<error>"],
])("ReplicaSet columns: the selector %j is shown as %s", (selector, shown) => {
  const object = read({
    spec: { replicas: 2, selector, template: { spec: { containers: [{ name: "c" }] } } },
    status: { replicas: 1, readyReplicas: 1 },
  });
  const cells = ReplicaSet.columns.map(({ cell }) => cell(object as never, { now: 0 }));
  expect(cells).toEqual(["r", 2, 1, 1, "<unknown>", "c", "", shown]);
});
