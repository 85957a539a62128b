import { goJson } from "../../schema/json/go-json.ts";
import { isMap } from "../../schema/json/json-value.ts";
import { sortedKeys } from "../../schema/values/utf8-order.ts";

/** A value as Go's encoder writes maps: members in order of their names, whatever they are. */
export function jsonText(value: unknown, indent = 0): string {
  return written(value, { indent, start: "\n" });
}

interface Layout {
  readonly indent: number;
  /** A line break, and the indentation of what is written. */
  readonly start: string;
}

function written(value: unknown, layout: Layout): string {
  if (Array.isArray(value)) return collection("[]", value.map(writer(layout)), layout);
  if (!isMap(value)) return typeof value === "bigint" ? String(value) : goJson(value ?? null);
  const colon = layout.indent > 0 ? ": " : ":";
  const write = writer(layout);
  const members = sortedKeys(value).map((name) => `${goJson(name)}${colon}${write(value[name])}`);
  return collection("{}", members, layout);
}

const writer =
  ({ indent, start }: Layout) =>
  (value: unknown): string =>
    written(value, { indent, start: start + " ".repeat(indent) });

function collection(brackets: string, texts: readonly string[], { indent, start }: Layout): string {
  const [open, close] = brackets;
  if (texts.length === 0) return brackets;
  if (indent === 0) return `${open}${texts.join(",")}${close}`;
  const inner = start + " ".repeat(indent);
  return `${open}${inner}${texts.join(`,${inner}`)}${start}${close}`;
}
