import { CelError, type CelList, type CelValue } from "../values/cel-value.ts";
import { ArrayList, elementsOf } from "../values/list.ts";
import { showValue } from "../values/show-value.ts";
import { formatText } from "./format-text.ts";
import { all, type Implementations, one, two } from "./implementation.ts";
import { replaceText, splitText, trimText } from "./text.ts";

/** The functions on strings. */
export const stringFunctions: Implementations = {
  string_char_at_int: two(charAt),
  string_index_of_string: two((text: string, part: string) => indexOf(text, part, 0n)),
  string_index_of_string_int: all(indexOf),
  string_last_index_of_string: two((text: string, part: string) => {
    const count = [...text].length;
    if (part === "") return BigInt(count);
    return text.length < part.length ? -1n : lastIndexOf(text, part, BigInt(count - 1));
  }),
  string_last_index_of_string_int: all(lastIndexOf),
  string_lower_ascii: one((text: string) => text.replace(/[A-Z]+/g, (part) => part.toLowerCase())),
  string_upper_ascii: one((text: string) => text.replace(/[a-z]+/g, (part) => part.toUpperCase())),
  string_replace_string_string: all((text: string, old: string, next: string) =>
    replaceText(text, old, { next, count: -1n }),
  ),
  string_replace_string_string_int: all((text: string, old: string, next: string, count: bigint) =>
    replaceText(text, old, { next, count }),
  ),
  string_split_string: two(
    (text: string, separator: string) => new ArrayList(splitText(text, separator, -1n)),
  ),
  string_split_string_int: all(
    (text: string, separator: string, count: bigint) =>
      new ArrayList(splitText(text, separator, count)),
  ),
  string_substring_int: two((text: string, start: bigint) => {
    const characters = [...text];
    if (start < 0n || start > BigInt(characters.length)) return outOfRange(start);
    return characters.slice(Number(start)).join("");
  }),
  string_substring_int_int: all(substring),
  string_trim: one(trimText),
  string_format: all((text: string, values: CelList) => formatText(text, values)),
  strings_quote: one(quoteText),
  list_join: one((list: CelList) => join(list, "")),
  list_join_string: two(join),
};

const outOfRange = (index: bigint): CelError => new CelError(`index out of range: ${index}`);

function charAt(text: string, index: bigint): CelValue {
  const characters = [...text];
  if (index < 0n || index > BigInt(characters.length)) return outOfRange(index);
  return characters[Number(index)] ?? "";
}

function indexOf(text: string, part: string, offset: bigint): CelValue {
  if (part === "") return offset;
  if (offset < 0n) return outOfRange(offset);
  const [characters, wanted] = [[...text], [...part]];
  for (let i = Number(offset); i <= characters.length - wanted.length; i++)
    if (wanted.every((character, j) => characters[i + j] === character)) return BigInt(i);
  return -1n;
}

function lastIndexOf(text: string, part: string, offset: bigint): CelValue {
  if (part === "") return offset;
  if (offset < 0n) return outOfRange(offset);
  const [characters, wanted] = [[...text], [...part]];
  if (offset >= BigInt(characters.length)) return -1n;
  const last = Math.min(Number(offset), characters.length - wanted.length);
  for (let i = last; i >= 0; i--)
    if (wanted.every((character, j) => characters[i + j] === character)) return BigInt(i);
  return -1n;
}

function substring(text: string, start: bigint, end: bigint): CelValue {
  const characters = [...text];
  if (start > end) return new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  const length = BigInt(characters.length);
  if (start < 0n || start > length) return outOfRange(start);
  if (end < 0n || end > length) return outOfRange(end);
  return characters.slice(Number(start), Number(end)).join("");
}

function join(list: CelList, separator: string): CelValue {
  const texts: string[] = [];
  for (const element of elementsOf(list)) {
    if (typeof element !== "string")
      return new CelError(`join: invalid input: ${showValue(element)}`);
    texts.push(element);
  }
  return texts.join(separator);
}

const escapes: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

function quoteText(text: string): string {
  let quoted = "";
  for (const character of text) quoted += escapes[character] ?? character;
  return `"${quoted}"`;
}
