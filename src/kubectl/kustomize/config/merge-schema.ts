import { isMap, type ReadonlyJsonMap } from "../../../schema/json/json-value.ts";
import { apiVersionOf } from "../resources/gvk.ts";
import { builtInSchema } from "./built-in-schema.ts";

/** What a merge has to know of a type. */
export interface MergeSchema {
  /** How lists are merged, such as `merge`; empty replaces them. */
  readonly strategy: string;
  /** The fields that tell items apart; none for lists of scalars. */
  readonly keys: readonly string[];
  field(name: string): MergeSchema | undefined;
  items(): MergeSchema | undefined;
}

/** Finds the schema of a kind; undefined where nobody knows it, so that its lists are replaced. */
export type SchemaSource = (apiVersion: string, kind: string) => MergeSchema | undefined;

export const builtInSchemas: SchemaSource = builtInSchema;

/** Makes a source of an OpenAPI document that a kustomization names. */
export function documentSchemas(document: unknown): SchemaSource {
  const definitions = isMap(document) && isMap(document.definitions) ? document.definitions : {};
  const byKind = new Map<string, ReadonlyJsonMap>();
  for (const definition of Object.values(definitions)) {
    if (!isMap(definition)) continue;
    const kinds = definition["x-kubernetes-group-version-kind"];
    for (const gvk of Array.isArray(kinds) ? kinds : []) {
      if (!isMap(gvk)) continue;
      const { group, version, kind } = gvk;
      const apiVersion = apiVersionOf({ group: text(group), version: text(version), kind: "" });
      byKind.set(`${apiVersion} ${text(kind)}`, definition);
    }
  }
  return (apiVersion, kind) => {
    const definition = byKind.get(`${apiVersion} ${kind}`);
    return definition && new DocumentSchema(definition, definitions);
  };
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

class DocumentSchema implements MergeSchema {
  readonly #schema: ReadonlyJsonMap;
  readonly #definitions: ReadonlyJsonMap;

  constructor(schema: ReadonlyJsonMap, definitions: ReadonlyJsonMap) {
    this.#schema = schema;
    this.#definitions = definitions;
  }

  get strategy(): string {
    return text(this.#schema["x-kubernetes-patch-strategy"]);
  }

  get keys(): readonly string[] {
    if (this.strategy === "") return [];
    const keys = this.#schema["x-kubernetes-list-map-keys"];
    if (Array.isArray(keys)) return keys.map(text);
    const key = text(this.#schema["x-kubernetes-patch-merge-key"]);
    return key === "" ? [] : [key];
  }

  field(name: string): MergeSchema | undefined {
    const { properties, additionalProperties } = this.#schema;
    const own = isMap(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
    return this.#resolve(own ?? additionalProperties);
  }

  items(): MergeSchema | undefined {
    return this.#schema.type === "array" ? this.#resolve(this.#schema.items) : undefined;
  }

  #resolve(schema: unknown): MergeSchema | undefined {
    let resolved = schema;
    for (let depth = 0; isMap(resolved) && typeof resolved.$ref === "string"; depth++) {
      if (depth > 100) return undefined;
      resolved = this.#definitions[resolved.$ref.replace("#/definitions/", "")];
    }
    return isMap(resolved) ? new DocumentSchema(resolved, this.#definitions) : undefined;
  }
}
