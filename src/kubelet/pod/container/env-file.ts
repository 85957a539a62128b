/**
 * The value of a variable in a file of variables; empty if the file does not have it. Throws if the file is not
 * valid up to there. A value is in single quotes, which may include several lines:
 *
 *     # a comment
 *     NAME='value' # another
 */
export function envFileValue(text: string, key: string): string {
  const lines = text.replace(/\n$/, "").split("\n");
  for (let at = 0; at < lines.length; at++) {
    const line = (lines[at] ?? "").replace(/^[ \t]+|\r$/g, "");
    if (line === "" || line.startsWith("#")) continue;
    const { name, rest } = assignment(line, at + 1);
    const { value, last } = /^[ \t]/.test(rest) ? empty(at) : quoted(lines, at, rest);
    if (name === key) return value;
    at = last;
  }
  return "";
}

/** A value, and the index of the last of its lines. */
interface Value {
  readonly value: string;
  readonly last: number;
}

/** As in a shell, what follows a blank is no value. */
const empty = (at: number): Value => ({ value: "", last: at });

function quoted(lines: readonly string[], first: number, text: string): Value {
  if (!text.startsWith("'")) throw invalid(first + 1, "value must be enclosed in single quotes");
  let last = first;
  let value = text.slice(1);
  while (!value.includes("'")) {
    last++;
    if (last === lines.length)
      throw new Error(
        `invalid environment variable format starting at line ${first + 1}: unclosed single quote`,
      );
    value += `\n${lines[last]?.replace(/\r$/, "")}`;
  }
  const end = value.indexOf("'");
  if (!/^[ \t]*(#|$)/.test(value.slice(end + 1)))
    throw invalid(last + 1, "unexpected content after closing quote");
  return { value: value.slice(0, end), last };
}

function assignment(
  line: string,
  number: number,
): { readonly name: string; readonly rest: string } {
  const equals = line.indexOf("=");
  if (equals === -1) throw invalid(number, "missing '='");
  const name = line.slice(0, equals);
  if (name === "") throw invalid(number, "empty variable name");
  if (/[ \t]$/.test(name)) throw invalid(number, "whitespace before '=' is not allowed");
  return { name, rest: line.slice(equals + 1) };
}

const invalid = (line: number, why: string): Error =>
  new Error(`invalid environment variable format at line ${line}: ${why}`);
