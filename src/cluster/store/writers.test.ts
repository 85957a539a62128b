import { describe, expect, test } from "vitest";
import type { ReadObject } from "../commands/decode/decode-objects.ts";
import { fieldChanges } from "./field-changes.ts";
import { timeOf, writersOf } from "./writers.ts";

const at = (seconds: number) => `2026-01-01T00:00:0${seconds}Z`;

const line = (manager: string, seconds: number, ...fields: readonly string[]) => ({
  manager,
  operation: "Update",
  apiVersion: "v1",
  time: at(seconds),
  fieldsType: "FieldsV1",
  fieldsV1: { "f:data": Object.fromEntries(fields.map((name) => [`f:${name}`, {}])) },
});

const map = (data: object, ...managedFields: readonly object[]): ReadObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  struct: undefined,
  value: { metadata: { managedFields }, data },
});

const names = (before: ReadObject, after: ReadObject) =>
  writersOf(before, after, fieldChanges(before, after)).map(({ manager }) => manager);

describe("writersOf", () => {
  test("a new object was written by the owner of its fields", () => {
    expect(writersOf(undefined, map({ a: 1 }, line("a", 1, "a")), [])).toEqual([
      { manager: "a", operation: "Update", time: at(1) },
    ]);
  });
  test("the writer is the manager with a new entry, not one that lost a field", () => {
    expect(
      names(
        map({ x: 1, y: 1 }, line("a", 1, "x", "y")),
        map({ x: 2, y: 1 }, line("a", 1, "y"), line("b", 1, "x")),
      ),
    ).toEqual(["b"]);
  });
  test("the writer of a second write in the same second is the owner of the changed fields", () => {
    const lines = [line("a", 1, "x"), line("b", 1, "y")];
    expect(names(map({ x: 1, y: 1 }, ...lines), map({ x: 1, y: 2 }, ...lines))).toEqual(["b"]);
  });
  test("the manager that removed a field owns fewer fields", () => {
    expect(
      names(map({ x: 1, y: 1 }, line("a", 1, "x", "y")), map({ x: 1 }, line("a", 1, "x"))),
    ).toEqual(["a"]);
  });
  test("there is no writer without managedFields", () => {
    expect(names(map({ x: 1 }), map({ x: 2 }))).toEqual([]);
    const broken = { manager: "a", fieldsV1: { nonsense: {} } };
    expect(names(map({ x: 1 }, broken), map({ x: 2 }, broken))).toEqual([]);
  });
});

describe("timeOf", () => {
  test("is the newest time of managedFields", () => {
    expect(timeOf(map({}, line("a", 3), line("b", 1)))).toBe(at(3));
  });
  test("of a lease is its renew time", () => {
    const value = {
      metadata: { creationTimestamp: at(1) },
      spec: { renewTime: "2026-01-01T00:00:02.000001Z" },
    };
    const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", struct: undefined, value };
    expect(timeOf(lease)).toBe("2026-01-01T00:00:02.000001Z");
    expect(timeOf({ ...lease, kind: "Other" })).toBe(at(1));
  });
  test("is undefined for an object without times", () => {
    expect(timeOf(map({}))).toBeUndefined();
  });
});
