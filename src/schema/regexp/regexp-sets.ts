/** A character in a class. */
export const shown = (code: number): string => `\\u{${code.toString(16)}}`;

/** The other cases of the letters in a range. */
export function foldedRange(low: number, high: number): string {
  let out = "";
  // Beyond the first planes there is little to fold, and a range may be wide.
  for (let code = low; code <= Math.min(high, low + 0x2000); code++) {
    const char = String.fromCodePoint(code);
    for (const other of [char.toLowerCase(), char.toUpperCase()])
      if (other !== char && [...other].length === 1) out += shown(other.codePointAt(0) as number);
  }
  return out;
}

/** A category or script of Unicode in a class; undefined if there is none of that name. */
export function unicodeSet(name: string, negated: boolean): string | undefined {
  const letter = negated ? "P" : "p";
  if (name === "Any") return negated ? complement("\\u{0}-\\u{10ffff}") : "\\u{0}-\\u{10ffff}";
  const isCategory = /^[A-Z][a-z]?$/.test(name);
  const set = isCategory ? `\\${letter}{${name}}` : `\\${letter}{Script=${name}}`;
  try {
    new RegExp(set, "u");
    return set;
  } catch {
    return undefined;
  }
}

/** What stands for characters that cannot be seen, after a backslash. */
export const controls: Readonly<Record<string, number>> = {
  a: 7,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
};
/** What the sets of Perl are in a class, by their letters. */
export const perlSets: Readonly<Record<string, string>> = {
  d: "0-9",
  D: "\\D",
  s: "\\t\\n\\f\\r ",
  S: "\\u{0}-\\u{8}\\u{b}\\u{e}-\\u{1f}\\u{21}-\\u{10ffff}",
  w: "0-9A-Za-z_",
  W: "\\W",
};
/** The sets of POSIX, by their names. */
export const posixSets: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: "\\u{0}-\\u{7f}",
  blank: "\\t ",
  cntrl: "\\u{0}-\\u{1f}\\u{7f}",
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: "!-\\/:-@\\[-`{-~",
  space: "\\t-\\r ",
  upper: "A-Z",
  word: "0-9A-Za-z_",
  xdigit: "0-9A-Fa-f",
};

/** What a set leaves out, as ranges. */
export function complement(set: string): string {
  const inside = new RegExp(`[${set}]`, "u");
  let out = "";
  let from = 0;
  for (let code = 0; code <= 0x80; code++) {
    if (!inside.test(String.fromCodePoint(code))) continue;
    if (code > from) out += `${shown(from)}-${shown(code - 1)}`;
    from = code + 1;
  }
  return inside.test("\u{10ffff}") ? out : `${out}${shown(from)}-\\u{10ffff}`;
}
