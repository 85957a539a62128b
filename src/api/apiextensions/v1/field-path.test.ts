import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { followPath } from "./field-path.ts";
import type { JSONSchemaProps } from "./json-schema-props.ts";

const schema: JSONSchemaProps = {
  properties: {
    a: { properties: { "b.c": { type: "string" } } },
    m: { additionalProperties: { type: "integer" } },
    s: { type: "string" },
  },
};

each<[path: string, type: string | undefined]>([
  [".s", "string"],
  [".a['b.c']", "string"],
  [".m.any", "integer"],
  ["", undefined],
])("followPath: %s leads to a schema", (path, type) => {
  expect(followPath(path, schema)).toMatchObject({
    schema: type === undefined ? schema : { type },
  });
});

each<[path: string, error: string]>([
  ["s", "expected [ or . but got: s"],
  [".x", "does not refer to a valid field"],
  [".s.x", "does not refer to a valid field"],
  [".", "unexpected end of JSON path"],
  ["[", "unexpected end of JSON path"],
  [".a[b]", "expected single quoted string but got b"],
  [".a['b.c'", "unexpected end of JSON path"],
  [".a['b.c'.", "expected ] but got ."],
])("followPath: %s leads nowhere", (path, error) => {
  expect(followPath(path, schema)).toEqual({ error });
});

test("followPath: brackets may be refused", () => {
  expect(followPath("['s']", schema, { brackets: false })).toEqual({
    error: "array notation is not allowed",
  });
});
