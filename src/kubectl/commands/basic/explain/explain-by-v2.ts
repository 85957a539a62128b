import { decodeResponse } from "../../../../client/decode-response.ts";
import { isMap, type ReadonlyJsonMap } from "../../../../schema/json/json-value.ts";
import { sortedKeys } from "../../../../schema/values/utf8-order.ts";
import type { CommandContext } from "../../../program/kubectl-command.ts";
import { fillLines } from "./fill-lines.ts";
import { groupVersionOf, type RequestedFields } from "./requested-fields.ts";

type Schema = ReadonlyJsonMap;

/** Explains fields by the OpenAPI v2 document of the server, in the layout of older versions. */
export async function explainByV2(
  { factory, io, signal }: Pick<CommandContext, "factory" | "io" | "signal">,
  { resource, fields, apiVersion }: RequestedFields & { readonly apiVersion: string },
  { isRecursive }: { readonly isRecursive: boolean },
): Promise<void> {
  const { group, version } = apiVersion === "" ? resource : groupVersionOf(apiVersion);
  const { kind } = resource;
  const response = await (await factory.client()).raw({
    method: "GET",
    path: "/openapi/v2",
    query: { timeout: "32s" },
    headers: { accept: "application/json" },
    signal,
  });
  const value = await decodeResponse(response);
  const document: unknown = typeof value === "string" ? JSON.parse(value) : value;
  const definitions = isMap(document) && isMap(document.definitions) ? document.definitions : {};
  const models = new Models(definitions);
  const schema = models.of({ group, version, kind });
  if (!schema) throw new Error(`couldn't find resource for "${group}/${version}, Kind=${kind}"`);
  const found = models.field(schema, fields);
  const apiVersionText = group === "" ? version : `${group}/${version}`;
  const text = models.explained(found, { name: fields.at(-1) ?? "", isRecursive });
  io.stdout.write(`KIND:     ${kind}\nVERSION:  ${apiVersionText}\n\n${text}`);
}

type Form = "reference" | "kind" | "map" | "array" | "arbitrary" | "primitive";

/** The definitions of an OpenAPI v2 document. */
class Models {
  readonly #definitions: Schema;

  constructor(definitions: Schema) {
    this.#definitions = definitions;
  }

  of(gvk: { readonly group: string; readonly version: string; readonly kind: string }) {
    return Object.values(this.#definitions)
      .filter(isMap)
      .find(({ "x-kubernetes-group-version-kind": kinds }) =>
        (Array.isArray(kinds) ? kinds.filter(isMap) : []).some(
          ({ group, version, kind }) =>
            (group ?? "") === gvk.group && version === gvk.version && kind === gvk.kind,
        ),
      );
  }

  /** The schema of a field; below a primitive one, all fields are that one. */
  field(schema: Schema, path: readonly string[]): Schema {
    const form = formOf(schema);
    if (form === "primitive" || form === "arbitrary" || path.length === 0) return schema;
    if (form !== "kind") return this.field(this.#inner(schema), path);
    const [name = "", ...rest] = path;
    const property = propertiesOf(schema)[name];
    if (!isMap(property)) throw new Error(`field "${name}" does not exist`);
    return this.field(property, rest);
  }

  explained(
    schema: Schema,
    { name, isRecursive }: { readonly name: string; readonly isRecursive: boolean },
  ): string {
    const descriptions: string[] = [];
    let type = "";
    let inner = schema;
    for (;;) {
      const form = formOf(inner);
      descriptions.push(descriptionOf(inner));
      if (form !== "reference" && type === "") type = this.#typeName(inner);
      if (form === "kind") {
        const resource = name === "" ? "" : `RESOURCE: ${name} <${type}>\n\n`;
        const fields = isRecursive ? this.#allFields(inner, 3, new Set()) : this.#fields(inner);
        return `${resource}${descriptionText(descriptions)}\nFIELDS:\n${fields}`;
      }
      if (form === "primitive")
        return `FIELD:    ${name} <${type}>\n\n${descriptionText(descriptions)}`;
      if (form === "arbitrary") return descriptionText(descriptions);
      inner = this.#inner(inner);
    }
  }

  #fields(schema: Schema): string {
    const properties = propertiesOf(schema);
    const required = Array.isArray(schema.required) ? schema.required : [];
    return sortedKeys(properties)
      .map((name) => {
        const property = properties[name] as Schema;
        const mark = required.includes(name) ? " -required-" : "";
        const text = fillLines(descriptionOf(property), 80 - 5).map((line) => lineText(line, 5));
        return `   ${name}\t<${this.#typeName(property)}>${mark}\n${text.join("")}\n`;
      })
      .join("");
  }

  #allFields(schema: Schema, indent: number, seen: ReadonlySet<unknown>): string {
    const form = formOf(schema);
    if (form === "primitive" || form === "arbitrary") return "";
    if (form === "reference" && seen.has(schema.$ref)) return "";
    if (form !== "kind") {
      const next = form === "reference" ? new Set([...seen, schema.$ref]) : seen;
      return this.#allFields(this.#inner(schema), indent, next);
    }
    const properties = propertiesOf(schema);
    return sortedKeys(properties)
      .map((name) => {
        const property = properties[name] as Schema;
        const below = this.#allFields(property, indent + 3, seen);
        return `${" ".repeat(indent)}${name}\t<${this.#typeName(property)}>\n${below}`;
      })
      .join("");
  }

  #typeName(schema: Schema): string {
    switch (formOf(schema)) {
      case "array":
        return `[]${this.#typeName(this.#inner(schema))}`;
      case "map":
        return `map[string]${this.#typeName(this.#inner(schema))}`;
      case "kind":
        return "Object";
      case "reference":
        return this.#typeName(this.#inner(schema));
      case "primitive":
        return String(schema.type);
      default:
        return "";
    }
  }

  /** What a reference, a list or a map leads to. */
  #inner({ $ref, items, additionalProperties }: Schema): Schema {
    const target =
      typeof $ref === "string"
        ? this.#definitions[$ref.replace("#/definitions/", "")]
        : (items ?? additionalProperties);
    return isMap(target) ? target : {};
  }
}

function formOf({ $ref, type, properties }: Schema): Form {
  if (typeof $ref === "string") return "reference";
  const [only] = Array.isArray(type) ? type : [type];
  if (isMap(properties) && (only === undefined || only === "object")) return "kind";
  if (only === undefined) return "arbitrary";
  if (only === "object") return "map";
  return only === "array" ? "array" : "primitive";
}

const propertiesOf = ({ properties }: Schema): Schema => (isMap(properties) ? properties : {});

const descriptionOf = ({ description }: Schema): string =>
  typeof description === "string" ? description : "";

function descriptionText(descriptions: readonly string[]): string {
  const parts = descriptions.flatMap((description, i) => {
    if (description === "") return [];
    const lines = fillLines(description, 80 - 5).map((line) => lineText(line, 5));
    return [`${i === 0 ? "" : "\n"}${lines.join("")}`];
  });
  return `DESCRIPTION:\n${parts.length > 0 ? parts.join("") : "     <empty>\n"}`;
}

const lineText = (line: string, indent: number): string =>
  line === "" ? "\n" : `${" ".repeat(indent)}${line}\n`;
