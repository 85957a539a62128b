import type { BackwardWriter } from "../../base/protobuf-wire.ts";
import type { Field } from "../language/field.ts";
import type { Struct } from "../language/struct.ts";
import { structOf, type Type } from "../language/type.ts";
import { type Entry, nestedFields, numbered } from "../protobuf/protobuf-fields.ts";
import { literal, type Replaceable, Source } from "./generate.ts";

export type MessageWrite = (
  writer: BackwardWriter,
  value: Readonly<Record<string, unknown>>,
) => void;

/** What generated functions share with those that interpret. */
export interface Writing {
  /** Writes a value of a type under a number. */
  valueOf(tag: number, type: Type): (writer: BackwardWriter, value: unknown) => void;
  /** Writes what stands for a field that is absent; undefined where nothing does. */
  absentOf(field: Field): ((writer: BackwardWriter) => void) | undefined;
  ofStruct(struct: Struct): Replaceable<MessageWrite>;
}

/**
 * A function that writes values of a struct, made for its fields, from the last to the first; undefined
 * where there can be none. Of a struct with a text under 1 and a pointer to a struct under 2:
 *
 *     (writer, value) => {
 *       const probe = value["probe"];
 *       if (probe !== undefined && probe !== null) {
 *         const mark = writer.length; Probe.run(writer, probe); writer.delimited(2, mark);
 *       }
 *       const name = value["name"];
 *       if (name !== undefined && name !== null) writer.text(1, name); else writer.text(1, "");
 *     }
 */
export function generateMessageWrite(struct: Struct, parts: Writing): MessageWrite | undefined {
  const entries = numbered(struct);
  if (entries.some(([name]) => name in {})) return undefined;
  const source = new Source();
  const fields = messageSource(entries, 0, { parts, source });
  return source.toFunction(`(writer, value) => { ${fields} }`);
}

interface Context {
  readonly parts: Writing;
  readonly source: Source;
}

/** Statements that write the fields of a message, or of one that JSON has inline in it. */
function messageSource(entries: readonly Entry[], depth: number, context: Context): string {
  const byTag = new Map<number, string>();
  for (const [tag, inner] of nestedFields(entries, depth))
    byTag.set(tag, delimited(tag, messageSource(inner, depth + 1, context)));
  for (const [name, field] of entries)
    if (field.under.length === depth) byTag.set(field.tag, fieldSource(name, field, context));
  const sorted = [...byTag].sort(([a], [b]) => b - a);
  return sorted.map(([, statements]) => statements).join("\n");
}

const delimited = (tag: number, statements: string): string =>
  `{ const mark = writer.length; ${statements} writer.delimited(${tag}, mark); }`;

function fieldSource(name: string, field: Field, { parts, source }: Context): string {
  const absent = parts.absentOf(field);
  const otherwise = absent === undefined ? "" : `else { ${absentSource(field, absent, source)} }`;
  return `{
    const given = value[${literal(name)}];
    if (given !== undefined && given !== null) { ${valueSource(field, { parts, source })} }
    ${otherwise}
  }`;
}

function absentSource(
  { tag, type }: Field,
  absent: (writer: BackwardWriter) => void,
  source: Source,
): string {
  return type.code === "string"
    ? `writer.text(${tag}, "");`
    : `${source.use(absent, "absent")}(writer);`;
}

function valueSource({ tag, type }: Field, context: Context): string {
  if (type.code === "list" && !type.wrapped) {
    const item = itemSource(tag, type.of as Type, context);
    if (item !== undefined)
      return `for (let k = given.length - 1; k >= 0; k--) { const item = given[k]; ${item("item")} }`;
  }
  const own = itemSource(tag, type, context);
  if (own !== undefined) return own("given");
  const write = context.source.use(context.parts.valueOf(tag, type), "valueOf");
  return `${write}(writer, given);`;
}

/** Statements that write a value of a type that is no list or map; undefined where a function does. */
function itemSource(
  tag: number,
  type: Type,
  { parts, source }: Context,
): ((value: string) => string) | undefined {
  switch (type.code) {
    case "string":
      return (value) => `writer.text(${tag}, ${value});`;
    case "bool":
      return (value) => `writer.varint(${value} ? 1 : 0); writer.tag(${tag}, 0);`;
    case "int32":
    case "int64":
      return (value) => `writer.int64(${value}); writer.tag(${tag}, 0);`;
    case "struct": {
      const struct = source.use(parts.ofStruct(structOf(type) as Struct), "struct");
      return (value) => delimited(tag, `${struct}.run(writer, ${value});`);
    }
    default:
      return undefined;
  }
}
