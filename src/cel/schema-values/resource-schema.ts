import type { JsonSchema } from "../../schema/structural/json-schema.ts";

const text: JsonSchema = { type: "string" };
const metadata: JsonSchema = { type: "object", properties: { name: text, generateName: text } };

/** The schema of an object of the API: it has a kind, a version and a name, whatever its schema says of them. */
export function withResourceFields<S extends JsonSchema>(schema: S): S {
  const { kind, apiVersion, metadata: own } = schema.properties ?? {};
  const { name, generateName } = own?.properties ?? {};
  const areTexts = [kind, apiVersion, name, generateName].every((each) => each?.type === "string");
  if (areTexts && own?.type === "object") return schema;
  return {
    ...schema,
    properties: { ...schema.properties, kind: text, apiVersion: text, metadata },
  };
}
