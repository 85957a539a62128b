import { isMap, type ReadonlyJsonMap } from "../../schema/json/json-value.ts";
import { sortedKeys } from "../../schema/values/utf8-order.ts";
import { jsonText } from "./json-text.ts";
import { mayBeBare } from "./kyaml-key.ts";

/** The names of a map's members, in the order in which they are written. */
type Keys = (map: object) => readonly string[];

/** A map as KYAML; its members in order of their names, or as `keys` has them. */
export function kyamlText(object: ReadonlyJsonMap, keys: Keys = sortedKeys): string {
  return mapping(object, { level: 0, keys });
}

interface Place {
  readonly level: number;
  readonly keys: Keys;
}

function written(value: unknown, place: Place): string {
  if (typeof value === "string") return quoted(value, place.level + 1);
  if (Array.isArray(value)) return sequence(value, place);
  if (isMap(value)) return mapping(value, place);
  return jsonText(value);
}

function mapping(map: ReadonlyJsonMap, { level, keys }: Place): string {
  const names = keys(map);
  if (names.length === 0) return "{}";
  const lines = names.map((name) => {
    const key = mayBeBare(name) ? name : `"${[...name].map(keyCharacter).join("")}"`;
    return `${indent(level + 1)}${key}: ${written(map[name], { level: level + 1, keys })},\n`;
  });
  return `{\n${lines.join("")}${indent(level)}}`;
}

function sequence(items: readonly unknown[], { level, keys }: Place): string {
  if (items.length === 0) return "[]";
  // Lists of nothing but maps and lists share their brackets' lines.
  if (items.every((item) => typeof item === "object" && item !== null))
    return `[${items.map((item) => written(item, { level, keys })).join(", ")}]`;
  const inner = { level: level + 1, keys };
  const lines = items.map((item) => `${indent(level + 1)}${written(item, inner)},\n`);
  return `[\n${lines.join("")}${indent(level)}]`;
}

const indent = (level: number): string => "  ".repeat(level);

/** A string in double quotes; one of several lines is folded at its line breaks. */
function quoted(text: string, level: number): string {
  if (!text.includes("\n")) return `"${[...text].map(character).join("")}"`;
  let out = '"\\\n';
  for (const char of text) {
    // A blank at the start of a line would be taken for indentation.
    if (out.endsWith("\n")) out += indent(level) + (isBlank(char) ? "\\" : " ");
    out += char === "\n" ? "\\n\\\n" : character(char);
  }
  return `${out}${out.endsWith("\n") ? "" : "\\\n"}${indent(level)}"`;
}

const isBlank = (char: string): boolean => char !== "\n" && /^[\s\u0085]$/.test(char);

const printable = /^(?: |[^\p{C}\p{Z}])$/u;

const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\x07", "\\a"],
  ["\b", "\\b"],
  ["\f", "\\f"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\v", "\\v"],
  ["\0", "\\0"],
  ["\x1b", "\\e"],
  ["\x85", "\\N"],
  ["\xa0", "\\_"],
  ["\u2028", "\\L"],
  ["\u2029", "\\P"],
]);

const keyCharacter = (char: string): string => (char === "\t" ? "\\t" : character(char));

function character(char: string): string {
  const known = escapes.get(char);
  if (known !== undefined) return known;
  if (char === "\t" || printable.test(char)) return char;
  const code = char.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x20 || code === 0x7f) return `\\x${hex.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}
