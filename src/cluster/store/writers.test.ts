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
  test("who created it is who owns its fields", () => {
    expect(writersOf(undefined, map({ a: 1 }, line("a", 1, "a")), [])).toEqual([
      { manager: "a", operation: "Update", time: at(1) },
    ]);
  });
  test("who wrote is who has a new line, not who lost a field by it", () => {
    expect(
      names(
        map({ x: 1, y: 1 }, line("a", 1, "x", "y")),
        map({ x: 2, y: 1 }, line("a", 1, "y"), line("b", 1, "x")),
      ),
    ).toEqual(["b"]);
  });
  test("of a second write in the same second, it is who owns what changed", () => {
    const lines = [line("a", 1, "x"), line("b", 1, "y")];
    expect(names(map({ x: 1, y: 1 }, ...lines), map({ x: 1, y: 2 }, ...lines))).toEqual(["b"]);
  });
  test("who removed a field owns less than before", () => {
    expect(
      names(map({ x: 1, y: 1 }, line("a", 1, "x", "y")), map({ x: 1 }, line("a", 1, "x"))),
    ).toEqual(["a"]);
  });
  test("nobody is named where nothing is told", () => {
    expect(names(map({ x: 1 }), map({ x: 2 }))).toEqual([]);
    const broken = { manager: "a", fieldsV1: { nonsense: {} } };
    expect(names(map({ x: 1 }, broken), map({ x: 2 }, broken))).toEqual([]);
  });
});

describe("timeOf", () => {
  test("is the newest time that managedFields have", () => {
    expect(timeOf(map({}, line("a", 3), line("b", 1)))).toBe(at(3));
  });
  test("of a lease is its renewal", () => {
    const value = {
      metadata: { creationTimestamp: at(1) },
      spec: { renewTime: "2026-01-01T00:00:02.000001Z" },
    };
    const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", struct: undefined, value };
    expect(timeOf(lease)).toBe("2026-01-01T00:00:02.000001Z");
    expect(timeOf({ ...lease, kind: "Other" })).toBe(at(1));
  });
  test("is nothing where there is none", () => {
    expect(timeOf(map({}))).toBeUndefined();
  });
});
