import { expect, test } from "vitest";
import { Job } from "../../api/batch/v1/job.ts";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { ClusterRole } from "../../api/rbac/v1/cluster-role.ts";
import type { AnyKind, ApiObject } from "../objects/object.ts";
import { selectionOf } from "./selection.ts";

const select = (kind: unknown, fieldSelector: string, labelSelector = "") =>
  selectionOf(kind as AnyKind, { fieldSelector, labelSelector });
const object = (metadata: object, more: object = {}) =>
  ({ kind: "", apiVersion: "", metadata, ...more }) as unknown as ApiObject;

test.each([
  ["", "", true],
  ["metadata.name=a", "", true],
  ["metadata.name==a", "", true],
  ["metadata.name!=a", "", false],
  ["metadata.name=b", "", false],
  ["=", "", true],
  ["metadata.namespace=d", "", true],
  ["metadata.namespace=d,metadata.name=b", "", false],
  ["", "l=1", true],
  ["", "l!=1", false],
  ["", "m", false],
  ["metadata.name=a", "l in (1,2)", true],
  ["spec.nodeName=", "", true],
  ["spec.nodeName=n", "", false],
])("selectionOf: fields %j and labels %j: %s", (fields, labels, wanted) => {
  const pod = object({ name: "a", namespace: "d", labels: { l: "1" } }, { spec: {}, status: {} });
  expect(select(Pod, fields, labels).matches(pod)).toEqual(wanted);
});

test("selectionOf: has a name if a single name is selected", () => {
  expect([
    select(Pod, "metadata.name=a").name,
    select(Pod, "metadata.name=a,spec.nodeName=n").name,
    select(Pod, "metadata.name!=a").name,
    select(Pod, "").name,
  ]).toEqual(["a", "a", undefined, undefined]);
});

test("selectionOf: a cluster-scoped kind without fields of its own has an empty namespace", () => {
  const one = object({ name: "a" });
  expect([
    select(ClusterRole, "metadata.namespace=x").matches(one),
    select(ClusterRole, "metadata.namespace=").matches(one),
  ]).toEqual([false, true]);
});

test("selectionOf: selects everything without selectors", () => {
  expect([select(Pod, "").selects, select(Pod, "", "a").selects]).toEqual([false, true]);
});

test.each([
  [
    ConfigMap,
    "data=x",
    '"data" is not a known field selector: only "metadata.name", "metadata.namespace"',
  ],
  [Pod, "spec.x=y", "field label not supported: spec.x"],
  [Node, "metadata.namespace=x", "field label not supported: metadata.namespace"],
  [Job, "spec.x=y", 'field label "spec.x" not supported for Job'],
  [ConfigMap, "x", "invalid selector: 'x'; can't understand 'x'"],
])("selectionOf: %o refuses %s", (kind, fields, why) => {
  expect(() => select(kind, fields)).toThrow(why);
});

test("selectionOf: a label selector that cannot be read is a bad request", () => {
  expect(() => select(Pod, "", "a in")).toThrow(expect.objectContaining({ reason: "BadRequest" }));
});
