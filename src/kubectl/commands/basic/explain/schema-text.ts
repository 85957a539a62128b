import { isMap, type ReadonlyJsonMap } from "../../../../schema/json/json-value.ts";
import { goString } from "../../../../schema/values/go-print.ts";
import { sortedKeys } from "../../../../schema/values/utf8-order.ts";
import type { OpenapiDocument } from "../../../factory/openapi-v3.ts";
import { indented, wordWrap } from "./word-wrap.ts";

type Schema = ReadonlyJsonMap;

/** What `kubectl explain` prints about schemas of an OpenAPI v3 document. */
export class SchemaText {
  readonly #document: OpenapiDocument;

  constructor(document: OpenapiDocument) {
    this.#document = document;
  }

  /** The text for a field of a schema, or for the schema itself; empty if there is no such field. */
  explained(schema: Schema, fields: readonly string[], isRecursive: boolean): string {
    return this.#output(schema, { fields, isRecursive, seen: new Set() });
  }

  #output(
    schema: Schema,
    {
      fields,
      isRecursive,
      seen,
    }: {
      readonly fields: readonly string[];
      readonly isRecursive: boolean;
      /** References on the way to here, for schemas that contain themselves. */
      readonly seen: ReadonlySet<string>;
    },
  ): string {
    const ref = refOf(schema);
    const resolved = this.#resolved(schema);
    const [field, ...rest] = fields;
    if (field === undefined) return this.#wholeText(resolved, isRecursive);
    if (ref !== "" && seen.has(ref)) return "";
    const next = { fields, isRecursive, seen: new Set([...seen, ref]) };
    const property = propertiesOf(resolved)[field];
    if (isMap(property)) {
      const below = { fields: rest, isRecursive, seen: new Set<string>() };
      const head =
        rest.length === 0
          ? `FIELD: ${field} <${this.#typeName(property)}>\n${longEnum(property)}\n\n`
          : "";
      return head + this.#output(property, below);
    }
    if (isMap(resolved.items)) return this.#output(resolved.items, next);
    if (isMap(resolved.additionalProperties))
      return this.#output(resolved.additionalProperties, next);
    for (const alternative of listOf(resolved.allOf)) {
      const text = this.#output(alternative, next);
      if (text !== "") return text;
    }
    return "";
  }

  #wholeText(schema: Schema, isRecursive: boolean): string {
    const description = this.#description(schema) || "<empty>";
    const list = this.#fieldList(schema, { level: 1, isRecursive, seen: new Set() });
    const docs = externalDocs(schema, { title: 0, text: 4, width: 76 });
    return [
      `DESCRIPTION:\n${indented(wordWrap(description, 76), 4)}\n`,
      docs && `\n${docs}`,
      list && `FIELDS:\n${list}`,
    ].join("");
  }

  #description(given: Schema): string {
    const schema = this.#resolved(given);
    const { description, items, additionalProperties } = schema;
    const below = [...listOf(schema.allOf), items, additionalProperties].filter(isMap);
    const own = typeof description === "string" && description !== "" ? `${description}\n` : "";
    return own + below.map((one) => this.#description(one)).join("");
  }

  #fieldList(
    given: Schema,
    around: {
      readonly level: number;
      readonly isRecursive: boolean;
      readonly seen: ReadonlySet<string>;
    },
  ): string {
    const ref = refOf(given);
    if (ref !== "" && around.seen.has(ref)) return "";
    const next = { ...around, seen: new Set([...around.seen, ref]) };
    const schema = this.#resolved(given);
    const properties = propertiesOf(schema);
    let text = "";
    for (const name of sortedKeys(properties)) {
      const property = properties[name];
      if (!isMap(property)) continue;
      const isRequired = Array.isArray(schema.required) && schema.required.includes(name);
      text += this.#fieldText(name, property, { ...around, isRequired });
      if (around.isRecursive) text += this.#fieldList(property, { ...next, level: next.level + 1 });
    }
    const below = [...listOf(schema.allOf), schema.items, schema.additionalProperties];
    return (
      text +
      below
        .filter(isMap)
        .map((one) => this.#fieldList(one, next))
        .join("")
    );
  }

  #fieldText(
    name: string,
    schema: Schema,
    {
      level,
      isRecursive,
      isRequired,
    }: { readonly level: number; readonly isRecursive: boolean; readonly isRequired: boolean },
  ): string {
    const indent = level * 2;
    const required = isRequired ? " -required-" : "";
    const head = `${" ".repeat(indent)}${name}\t<${this.#typeName(schema)}>${required}${shortEnum(schema, indent)}\n`;
    if (isRecursive) return head;
    const { description } = schema;
    const text = typeof description === "string" && description ? description : "<no description>";
    const place = { title: indent + 2, text: indent + 4, width: 76 - indent };
    const docs = externalDocs(schema, place);
    return `${head}${indented(wordWrap(text, 78 - indent), indent + 2)}\n${docs && `\n${docs}`}\n`;
  }

  #typeName(schema: Schema): string {
    const { items, additionalProperties, allOf, properties, type } = schema;
    if (isMap(items)) return `[]${this.#typeName(items)}`;
    if (isMap(additionalProperties)) return `map[string]${this.#typeName(additionalProperties)}`;
    const [only, ...others] = listOf(allOf);
    if (only && others.length === 0 && !isMap(properties)) return this.#typeName(only);
    const ref = refOf(schema);
    if (ref !== "") {
      const target = this.#find(ref);
      if (target?.type && target.type !== "object") return String(target.type);
      return ref.split("/").at(-1)?.split(".").at(-1) || "Object";
    }
    return type === "object" || !type ? "Object" : String(type);
  }

  #resolved(schema: Schema): Schema {
    return this.#find(refOf(schema)) ?? schema;
  }

  #find(ref: string): Schema | undefined {
    if (!ref.startsWith("#")) return undefined;
    let found: unknown = this.#document;
    for (const part of ref.slice(1).split("/"))
      if (part !== "") found = isMap(found) ? found[part] : undefined;
    return isMap(found) ? found : undefined;
  }
}

const refOf = ({ $ref }: Schema): string => (typeof $ref === "string" ? $ref : "");

const propertiesOf = ({ properties }: Schema): ReadonlyJsonMap =>
  isMap(properties) ? properties : {};

const listOf = (value: unknown): readonly Schema[] =>
  Array.isArray(value) ? value.filter(isMap) : [];

/** All values of an enumeration, a line each. */
function longEnum({ enum: values }: Schema): string {
  if (!Array.isArray(values) || values.length === 0) return "";
  return `ENUM:${values.map((value) => `\n    ${enumValue(value)}`).join("")}`;
}

const shownValues = 4;

/** The first values of an enumeration, in a line. */
function shortEnum({ enum: values }: Schema, indent: number): string {
  if (!Array.isArray(values) || values.length === 0) return "";
  const shown = values.slice(0, shownValues).map(enumValue).join(", ");
  const more = values.length > shownValues ? ", ...." : "";
  return `\n${" ".repeat(indent)}enum: ${shown}${more}`;
}

const enumValue = (value: unknown): string => (value === "" ? '""' : goString(value));

/** Where more is written about a schema. */
function externalDocs(
  { externalDocs: docs }: Schema,
  place: { readonly title: number; readonly text: number; readonly width: number },
): string {
  if (!isMap(docs) || Object.keys(docs).length === 0) return "";
  const { description, url } = docs;
  const lines = [indented("EXTERNAL DOCS:", place.title)];
  if (description) lines.push(indented(wordWrap(String(description), place.width), place.text));
  if (url) lines.push(indented(`URL: ${String(url)}`, place.text));
  return `${lines.join("\n")}\n`;
}
