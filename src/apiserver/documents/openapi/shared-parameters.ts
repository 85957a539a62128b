import type { Schema } from "../../../schema/openapi/openapi.ts";
import type { Share } from "./openapi-operation.ts";

/** Moves parameters to `shared`, and returns references to them. */
export function sharing(shared: Map<string, Schema>, hash: (text: string) => string): Share {
  const references = new Map<string, Schema>();
  return (parameter) => {
    // kubectl looks for these two in the operation, and does not follow references.
    if (parameter.name === "dryRun" || parameter.name === "fieldValidation") return parameter;
    const text = JSON.stringify(parameter);
    let reference = references.get(text);
    if (!reference) {
      const name = `${parameter.name}-${hash(text).slice(0, 8)}`;
      shared.set(name, parameter);
      reference = { $ref: `#/parameters/${name}` };
      references.set(text, reference);
    }
    return reference;
  };
}
