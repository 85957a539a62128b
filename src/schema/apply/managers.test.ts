import { describe, expect, test } from "vitest";
import {
  capped,
  identify,
  type ManagedFieldsEntry,
  managerText,
  readManagers,
  writeManagers,
} from "./managers.ts";

const entry = (manager: string, more: ManagedFieldsEntry = {}): ManagedFieldsEntry => ({
  manager,
  operation: "Update",
  apiVersion: "v1",
  time: "2026-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:data": { [`f:${manager}`]: {} } },
  ...more,
});

test("managedFields are written as they were read: by operation, time, name, version and subresource", () => {
  const entries = [
    entry("z", { operation: "Apply", time: "2025-12-31T00:00:00Z" }),
    entry("b", { operation: "Apply" }),
    entry("a", { time: "2025-12-31T00:00:00Z" }),
    entry("a", { apiVersion: "v2" }),
    entry("b", { subresource: "status" }),
    entry("c", { time: undefined }),
  ];
  const [c, ...rest] = writeManagers(readManagers(entries)).slice(2);
  expect(c).toEqual({ ...entry("c"), time: undefined });
  expect(rest).toEqual(entries.slice(2, 5));
});

test.each([
  [{ operation: "Delete" }, "operation must be `Apply` or `Update`"],
  [{ apiVersion: "" }, "apiVersion must not be empty"],
  [{ fieldsType: "" }, "missing fieldsType in managed fields entry 0"],
  [{ fieldsType: "V2" }, 'invalid fieldsType "V2" in managed fields entry 0'],
  [{ fieldsV1: { data: {} } }, "missing colon: data"],
])("an entry with %j cannot be read", (more, message) => {
  expect(() => readManagers([entry("a", more)])).toThrow(new SyntaxError(message));
});

test.each([
  [{ manager: "a", operation: "Apply", apiVersion: "v1" }, '"a"'],
  [{ manager: "a", operation: "Update", apiVersion: "apps/v1" }, '"a" using apps/v1'],
  [
    { manager: "a", operation: "Update", apiVersion: "v1", subresource: "status" },
    '"a" with subresource "status" using v1',
  ],
])("%j is named in conflicts", (identity, text) => {
  expect(managerText(identify(identity))).toBe(text);
});

test("who applies is the same in every version, who updates is not", () => {
  const [apply, update] = ["Apply", "Update"].map((operation) =>
    ["v1", "v2"].map((apiVersion) => identify({ manager: "a", operation, apiVersion })),
  );
  expect([new Set(apply).size, new Set(update).size]).toEqual([1, 2]);
});

describe("capped", () => {
  const updates = (count: number) =>
    Array.from({ length: count }, (_, i) =>
      entry(`m${10 + i}`, { time: `2026-01-01T00:00:${10 + i}Z` }),
    );
  const names = (entries: readonly ManagedFieldsEntry[]) =>
    writeManagers(capped(readManagers(entries))).map(({ manager }) => manager);

  test("ten updates are kept apart", () => {
    expect(names(updates(10))).toHaveLength(10);
  });
  test("of more, the oldest become one, as old as the youngest of them", () => {
    const [first, ...rest] = writeManagers(capped(readManagers(updates(12))));
    expect(first).toEqual(
      entry("ancient-changes", {
        time: "2026-01-01T00:00:12Z",
        fieldsV1: { "f:data": { "f:m10": {}, "f:m11": {}, "f:m12": {} } },
      }),
    );
    expect(rest).toHaveLength(9);
  });
  test("those who applied do not count", () => {
    const applied = Array.from({ length: 15 }, (_, i) => entry(`a${i}`, { operation: "Apply" }));
    expect(names([...applied, ...updates(10)])).toHaveLength(25);
  });
  test("versions are not mixed", () => {
    const others = [entry("x", { apiVersion: "v2", time: "2025-01-01T00:00:00Z" }), ...updates(10)];
    expect(names(others)).toEqual([
      "x",
      "ancient-changes",
      ...updates(10)
        .slice(2)
        .map((e) => e.manager),
    ]);
  });
});
