import { goJson } from "../../schema/json/go-json.ts";
import { isMap } from "../../schema/json/json-value.ts";
import { sortedKeys } from "../../schema/values/utf8-order.ts";

/** A value as Go's encoder writes maps: members in order of their names, whatever they are. */
export function jsonText(value: unknown, indent = 0): string {
  return written(value, { indent, start: "\n", names: sortedKeys });
}

/** A value as Go's encoder writes structs: members in the order that they have. */
export function orderedJsonText(value: unknown, indent = 0): string {
  return written(value, { indent, start: "\n", names: structKeys });
}

/**
 * The names of members in the order that they have. Engines do not keep the order of names that are numbers; no
 * struct has such, and maps are sorted.
 */
export function structKeys(value: object): readonly string[] {
  const names = Object.keys(value);
  return names[0] !== undefined && /^\d+$/.test(names[0]) ? sortedKeys(value) : names;
}

interface Layout {
  readonly indent: number;
  /** The names of a map's members, in the order in which they are written. */
  readonly names: (value: object) => readonly string[];
  /** A line break, and the indentation of what is written. */
  readonly start: string;
}

function written(value: unknown, layout: Layout): string {
  if (Array.isArray(value)) return collection("[]", value.map(writer(layout)), layout);
  if (!isMap(value)) return typeof value === "bigint" ? String(value) : goJson(value ?? null);
  const colon = layout.indent > 0 ? ": " : ":";
  const write = writer(layout);
  const members = layout.names(value).map((name) => `${goJson(name)}${colon}${write(value[name])}`);
  return collection("{}", members, layout);
}

const writer =
  ({ indent, start, names }: Layout) =>
  (value: unknown): string =>
    written(value, { indent, start: start + " ".repeat(indent), names });

function collection(brackets: string, texts: readonly string[], { indent, start }: Layout): string {
  const [open, close] = brackets;
  if (texts.length === 0) return brackets;
  if (indent === 0) return `${open}${texts.join(",")}${close}`;
  const inner = start + " ".repeat(indent);
  return `${open}${inner}${texts.join(`,${inner}`)}${start}${close}`;
}
