import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { JsonSchema } from "./json-schema.ts";
import { servedSchema } from "./served-schema.ts";

each<[rule: string, schema: JsonSchema, served: JsonSchema]>([
  [
    "a whole number or a text has both types",
    { "x-kubernetes-int-or-string": true },
    { "x-kubernetes-int-or-string": true, type: ["integer", "string"] },
  ],
  [
    "formats that say nothing are gone, at any depth",
    {
      properties: { a: { type: "string", format: "odd" }, b: { type: "string", format: "uuid" } },
      items: { type: "integer", format: "float" },
      additionalProperties: { type: "object", format: "uuid" },
      allOf: [{ format: "nothing" }],
      not: { format: "date-time" },
    },
    {
      properties: { a: { type: "string" }, b: { type: "string", format: "uuid" } },
      items: { type: "integer" },
      additionalProperties: { type: "object" },
      allOf: [{}],
      not: { format: "date-time" },
    },
  ],
])("servedSchema: %s", (_, schema, served) => {
  expect(servedSchema(schema)).toEqual(served);
});
