import { describe, expect, test } from "vitest";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import type { ReadObject } from "../commands/decode/decode-objects.ts";
import { fieldChanges, fieldText } from "./field-changes.ts";

const pod = (value: object): ReadObject => ({
  apiVersion: "v1",
  kind: "Pod",
  struct: Pod.struct,
  value,
});
const custom = (value: object): ReadObject => ({
  apiVersion: "example.com/v1",
  kind: "Thing",
  struct: undefined,
  value,
});

const changes = (before: ReadObject, after: ReadObject) =>
  fieldChanges(before, after).map(({ path, before, after }) => [fieldText(path), before, after]);

describe("fieldChanges", () => {
  test("added, changed and removed fields, each at its full path", () => {
    expect(
      changes(
        custom({ spec: { a: 1, gone: { x: [1], y: {} }, same: [1] } }),
        custom({ spec: { a: 2, same: [1], fresh: { deep: { er: true } } } }),
      ),
    ).toEqual([
      ["spec.a", 1, 2],
      ["spec.gone.x[0]", 1, undefined],
      ["spec.gone.y", {}, undefined],
      ["spec.fresh.deep.er", undefined, true],
    ]);
  });
  test("list items are matched by their keys, also when they move", () => {
    const container = (name: string, image: string) => ({ name, image });
    expect(
      changes(
        pod({ spec: { containers: [container("a", "1"), container("b", "1")] } }),
        pod({
          metadata: { finalizers: ["x/y"] },
          spec: { containers: [container("b", "2"), container("a", "1")] },
        }),
      ),
    ).toEqual([
      ['spec.containers[name="b"].image', "1", "2"],
      ['metadata.finalizers[="x/y"]', undefined, "x/y"],
    ]);
  });
  test("list items with duplicate keys are matched by their position", () => {
    const item = (name: string) => ({ name, image: name });
    expect(
      changes(
        pod({ spec: { containers: [item("a")] } }),
        pod({ spec: { containers: [item("a"), item("a")] } }),
      ),
    ).toEqual([
      ["spec.containers[1].name", undefined, "a"],
      ["spec.containers[1].image", undefined, "a"],
    ]);
  });
  test("a value that changed its type is one change", () => {
    expect(changes(custom({ a: { b: 1 } }), custom({ a: [1] }))).toEqual([["a", { b: 1 }, [1]]]);
    expect(changes(custom({ a: {} }), custom({ a: null }))).toEqual([["a", {}, null]]);
  });
  test("managedFields are not compared", () => {
    expect(changes(custom({ metadata: { managedFields: [1] } }), custom({ metadata: {} }))).toEqual(
      [],
    );
  });
});
