import { expect, test } from "vitest";
import { publishedSchema } from "./published-schema.ts";

const gvk = { group: "g", version: "v1", kind: "A" };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const text = { type: "string" };

test("publishedSchema: references are replaced, and what contains itself is an object", () => {
  const schemas = {
    Other: text,
    A: {
      type: "object",
      "x-kubernetes-group-version-kind": [gvk],
      properties: {
        wrapped: { allOf: [ref("Spec")], default: {} },
        map: { type: "object", additionalProperties: ref("Other") },
        missing: ref("Missing"),
        port: { format: "int-or-string", oneOf: [{ type: "integer" }, text] },
      },
    },
    Spec: {
      type: "object",
      properties: { list: { type: "array", items: ref("Spec") }, self: ref("A") },
    },
  };
  expect(publishedSchema({ components: { schemas } }, gvk)).toMatchObject({
    type: "object",
    properties: {
      wrapped: {
        type: "object",
        properties: { list: { items: { type: "object" } }, self: { type: "object" } },
      },
      map: { additionalProperties: text },
      missing: {},
      port: { "x-kubernetes-int-or-string": true },
    },
  });
});

test("publishedSchema: a kind that is not published has none", () => {
  expect(publishedSchema({}, gvk)).toBeUndefined();
});
