import type { Schema } from "../../../schema/openapi/openapi.ts";
import type { Share } from "./openapi-operation.ts";

/** Moves parameters to `shared`, and returns references to them. */
export function sharing(shared: Map<string, Schema>, hash: (text: string) => string): Share {
  const references = new Map<string, Schema>();
  return (parameter) => {
    if (inPlace.has(String(parameter.name)) || isOwnBody(parameter)) return parameter;
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

/**
 * kubectl looks for the first two in the operation, and does not follow references. The description of a name has the
 * kind, so that it is never shared.
 */
const inPlace: ReadonlySet<string> = new Set(["dryRun", "fieldValidation", "name"]);

/** Whether it is the body of one kind. */
function isOwnBody({ in: place, schema }: Schema): boolean {
  const { $ref = "" } = (schema ?? {}) as { readonly $ref?: string };
  return place === "body" && !$ref.startsWith("#/definitions/io.k8s.apimachinery");
}
