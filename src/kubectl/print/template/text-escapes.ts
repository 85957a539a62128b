import { bytesOf } from "./go-value.ts";

const htmlMarks: ReadonlyMap<string, string> = new Map([
  ["\0", "\ufffd"],
  ['"', "&#34;"],
  ["'", "&#39;"],
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
]);

/** A text as it may stand in HTML, in Go's spelling. */
export const htmlEscaped = (text: string): string =>
  text.replaceAll(/[\0"'&<>]/g, (mark) => htmlMarks.get(mark) ?? mark);

/** A text as it may stand in a string of JavaScript, in Go's spelling. */
export function jsEscaped(text: string): string {
  let out = "";
  for (const char of text) {
    if (/[\\'"]/.test(char)) out += `\\${char}`;
    else if (char < " " || /[<>&=]/.test(char) || hidden.test(char)) out += codeOf(char);
    else out += char;
  }
  return out;
}

const hidden = /^(?!\p{ASCII})[\p{C}\p{Z}]$/u;
const codeOf = (char: string): string =>
  `\\u${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/** A text as it may stand in the query of a URL. */
export function queryEscaped(text: string): string {
  let out = "";
  for (const byte of bytesOf(text)) {
    const char = String.fromCharCode(byte);
    if (char === " ") out += "+";
    else if (/[\w.~-]/.test(char)) out += char;
    else out += `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return out;
}
