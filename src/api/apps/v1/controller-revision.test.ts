import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { ControllerRevision } from "./controller-revision.ts";
import {
  cellsOf,
  created,
  createFaults,
  type Given,
  read,
  updateFaults,
} from "./workload.test-support.ts";

each<[rule: string, given: Given, errors: readonly string[]]>([
  ["an object is fine, also an empty one", { data: {} }, []],
  ["data must be there", {}, ["data: Required value: data is mandatory"]],
  ["null is no data", { data: null }, ["data: Required value: data is mandatory"]],
  ["a list is no object", { data: [] }, ["data: Required value: data must be a valid JSON object"]],
  [
    "the revision is not negative",
    { data: {}, revision: -1 },
    ["revision: Invalid value: -1: must be greater than or equal to 0"],
  ],
])("ControllerRevision: %s", (_, given, errors) => {
  expect(createFaults(ControllerRevision, given)).toEqual(errors);
});

test("ControllerRevision update: the revision may change, the data may not", () => {
  const old = created(ControllerRevision, { data: { a: 1 }, revision: 1 });
  const to = (given: Given) => updateFaults(ControllerRevision, old, given);
  expect([to({ data: { a: 1 }, revision: 2 }), to({ data: { a: 2 }, revision: 1 })]).toEqual([
    [],
    ['data: Invalid value: {"a":2}: field is immutable'],
  ]);
});

each<[owner: object | undefined, shown: string]>([
  [undefined, "<none>"],
  [{ apiVersion: "apps/v1", kind: "StatefulSet", controller: true }, "statefulset.apps/db"],
  [{ apiVersion: "v1", kind: "Thing", controller: true }, "thing/db"],
  [{ apiVersion: "apps/v1", kind: "StatefulSet" }, "<none>"],
])("ControllerRevision columns: the owner %j is shown as %s", (owner, shown) => {
  const ownerReferences = owner && [{ name: "db", uid: "u", ...owner }];
  const object = read(ControllerRevision, { metadata: { ownerReferences }, data: {}, revision: 3 });
  expect(cellsOf(ControllerRevision, object)).toEqual(["w", shown, 3, "<unknown>"]);
});
