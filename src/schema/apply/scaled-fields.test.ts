import { expect, test } from "vitest";
import type { ManagedFieldsEntry } from "./managers.ts";
import { scaledFields, scaleFields } from "./scaled-fields.ts";

const kind = {
  version: "apps/v1",
  replicasAt: (version: string) =>
    version === "apps/v1" ? ["f:spec", "f:replicas"] : version === "apps/v2" ? null : undefined,
};
const entry = (manager: string, fieldsV1: unknown, more: ManagedFieldsEntry = {}) => ({
  manager,
  operation: "Update",
  apiVersion: "apps/v1",
  time: "2026-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1,
  ...more,
});
const replicas = { "f:spec": { "f:replicas": {} } };
const both = { "f:spec": { "f:paused": {}, "f:replicas": {} } };
const paused = { "f:spec": { "f:paused": {} } };
const onScale = { apiVersion: "autoscaling/v1" };

test("the owners of a Scale are those of the number", () => {
  const entries = [
    entry("a", both),
    entry("b", paused),
    entry("c", replicas, { apiVersion: "apps/v2" }),
    entry("d", replicas, { apiVersion: "gone/v1" }),
  ];
  expect(scaleFields(kind, entries)).toEqual([entry("a", replicas, onScale)]);
});

test("who writes the number through the Scale takes it from the others, and has no time", () => {
  const entries = [
    entry("a", both),
    entry("b", replicas),
    entry("c", paused, { apiVersion: "apps/v2" }),
  ];
  const scaled = [entry("s", replicas, { ...onScale, subresource: "scale" })];
  expect(scaledFields(kind, entries, scaled)).toEqual([
    { ...entry("s", replicas, { subresource: "scale" }), time: undefined },
    entry("a", paused),
    entry("c", paused, { apiVersion: "apps/v2" }),
  ]);
});

test("who applied the number and still owns it keeps all", () => {
  const applied = { operation: "Apply" };
  const entries = [entry("a", both, applied), entry("d", paused, { apiVersion: "gone/v1" })];
  expect(scaledFields(kind, entries, scaleFields(kind, entries))).toEqual([
    entry("a", both, applied),
  ]);
});

test("who updated it is another through the Scale, whose version is part of the name", () => {
  const entries = [entry("a", both)];
  expect(scaledFields(kind, entries, scaleFields(kind, entries))).toEqual([
    { ...entry("a", replicas), time: undefined },
    entry("a", paused),
  ]);
});
