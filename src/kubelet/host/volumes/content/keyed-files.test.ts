import { expect, test } from "vitest";
import { each } from "../../../../../test/each.ts";
import { type KeyedSource, keyedFiles } from "./keyed-files.ts";

const data = { a: Buffer.from("1"), b: Buffer.from("2") };
const source = (more: Partial<KeyedSource>): KeyedSource => ({
  ...{ of: "configMap", name: "m", defaultMode: 0o644, optional: false },
  ...more,
});

test("keyedFiles: all keys, or those of the items with their modes", () => {
  expect([...keyedFiles(source({}), data)]).toEqual([
    ["a", { bytes: data.a, mode: 0o644 }],
    ["b", { bytes: data.b, mode: 0o644 }],
  ]);
  const items = [
    { key: "b", path: "x/y" },
    { key: "a", path: "z", mode: 0o400 },
  ];
  expect([...keyedFiles(source({ items }), data)]).toEqual([
    ["x/y", { bytes: data.b, mode: 0o644 }],
    ["z", { bytes: data.a, mode: 0o400 }],
  ]);
});

const z = { key: "z", path: "z" };

each<[more: Partial<KeyedSource>, isThere: boolean, message: string]>([
  [{}, false, 'configmap "m" not found'],
  [{ of: "secret" }, false, 'secret "m" not found'],
  [{ items: [z] }, true, "configmap references non-existent config key: z"],
  [{ of: "secret", items: [z] }, true, "references non-existent secret key: z"],
  [
    { items: [{ key: "toString", path: "z" }] },
    true,
    "configmap references non-existent config key: toString",
  ],
])("keyedFiles: %j rejects", (more, isThere, message) => {
  expect(() => keyedFiles(source(more), isThere ? data : undefined)).toThrow(message);
});

test("keyedFiles: what is optional may be missing", () => {
  const optional = true;
  expect(keyedFiles(source({ optional }), undefined).size).toBe(0);
  const items = [z, { key: "a", path: "a" }];
  expect([...keyedFiles(source({ optional, items }), data).keys()]).toEqual(["a"]);
});
