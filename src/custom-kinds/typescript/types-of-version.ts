import type { JsonSchema } from "../../schema/structural/json-schema.ts";
import { type Side, typeText } from "./type-text.ts";

/** The interfaces of one version of a kind, and how its objects are called. */
export interface VersionTypes {
  readonly value: string;
  readonly input: string;
  readonly text: string;
}

/** Declares the types of a version: `name` is that of its objects. */
export function typesOfVersion(name: string, schema: JsonSchema): VersionTypes {
  const types = new Interfaces();
  const value = types.declare(name, schema, "value");
  const input = types.declare(name, schema, "input");
  return { value, input, text: types.text() };
}

/** The declared interfaces, by their names and in the order in which they are referred to. */
class Interfaces {
  readonly #texts = new Map<string, string>();
  /** The schema that has a name: the name of two members can come out the same. */
  readonly #schemas = new Map<string, JsonSchema>();
  /** Schemas whose input differs from the value: some member has a default. */
  readonly #differs = new WeakMap<JsonSchema, boolean>();

  text(): string {
    return [...this.#texts.values()].join("\n\n");
  }

  /** The root is an object of the API. */
  declare(root: string, schema: JsonSchema, side: Side): string {
    // What a server fills in is more than defaults: the input of objects always differs.
    const name = side === "input" ? `${root}Input` : root;
    const { apiVersion: _, kind: _k, metadata: _m, ...properties } = schema.properties ?? {};
    const head =
      side === "value"
        ? `export interface ${name} extends KubernetesObject {`
        : `export interface ${name} {\n${inputHead}`;
    this.#free(name, schema);
    return this.#add(name, { ...schema, properties }, { side, head, base: root });
  }

  #nested(base: string, schema: JsonSchema, side: Side): string {
    const hasInput = side === "input" && this.#hasDefaults(schema);
    const name = this.#free(hasInput ? `${base}Input` : base, schema);
    return this.#add(name, schema, { side, head: `export interface ${name} {`, base });
  }

  /** The name, with a number if another interface has it. */
  #free(name: string, schema: JsonSchema): string {
    for (let n = 1; ; n++) {
      const numbered = n === 1 ? name : `${name}${n}`;
      const other = this.#schemas.get(numbered) ?? schema;
      this.#schemas.set(numbered, other);
      if (other === schema) return numbered;
    }
  }

  #add(
    name: string,
    schema: JsonSchema,
    { side, head, base }: { readonly side: Side; readonly head: string; readonly base: string },
  ): string {
    if (this.#texts.has(name)) return name;
    // Takes its place before those that it refers to.
    this.#texts.set(name, "");
    const members = Object.entries(schema.properties ?? {}).map(([member, each]) => {
      const isGiven = (schema.required ?? []).includes(member);
      const hasDefault = each.default !== undefined && each.default !== null;
      const isThere = side === "value" ? isGiven || hasDefault : isGiven && !hasDefault;
      const type = typeText(each, {
        side,
        name: `${base}${capitalised(member)}`,
        declare: (inner, part) => this.#nested(inner, part, side),
      });
      const key = /^[A-Za-z_$][\w$]*$/.test(member) ? member : JSON.stringify(member);
      const orAbsent = isThere || type === "unknown" ? type : `${type} | undefined`;
      return `${commentText(each.description, "  ")}  readonly ${key}${isThere ? "" : "?"}: ${orAbsent};`;
    });
    if (schema["x-kubernetes-preserve-unknown-fields"])
      members.push("  readonly [member: string]: unknown;");
    this.#texts.set(
      name,
      `${commentText(schema.description, "")}${[head, ...members, "}"].join("\n")}`,
    );
    return name;
  }

  #hasDefaults(schema: JsonSchema): boolean {
    const known = this.#differs.get(schema);
    if (known !== undefined) return known;
    const { items, additionalProperties, properties = {} } = schema;
    const found = [items, additionalProperties, ...Object.values(properties)].some(
      (part) =>
        typeof part === "object" &&
        !Array.isArray(part) &&
        ((part as JsonSchema).default !== undefined || this.#hasDefaults(part as JsonSchema)),
    );
    this.#differs.set(schema, found);
    return found;
  }
}

const inputHead = `  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: KubernetesObject["metadata"] | undefined;`;

const capitalised = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");

/** A description as a comment; nothing if there is none. */
function commentText(description: string | undefined, indent: string): string {
  const text = (description ?? "").trim().replaceAll("*/", "*\\/");
  if (text === "") return "";
  const lines = text.split("\n").map((line) => line.trimEnd());
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return [
    `${indent}/**`,
    ...lines.map((line) => `${indent} * ${line}`.trimEnd()),
    `${indent} */`,
    "",
  ].join("\n");
}
