/** A character in a class. */
export const shown = (code: number): string => `\\u{${code.toString(16)}}`;

/** A category or script of Unicode in a class; undefined if Go has none of that name. */
export function unicodeSet(text: string): string | undefined {
  const name = canonical(text);
  const other = otherSets[name];
  if (other !== undefined) return other;
  if (/^[A-Z][a-z]?$/.test(name) && name !== "Yi") return known(`\\p{General_Category=${name}}`);
  const category = categoryNames.split(" ").find((each) => canonical(each) === name);
  if (category !== undefined) return `\\p{General_Category=${category}}`;
  // Of four letters are the codes of scripts, too, which Go does not know.
  if (name.length === 4 && !shortScripts.includes(name)) return undefined;
  return known(`\\p{Script=${name}}`);
}

/** A name as Go looks for it: names of scripts with more than one word are never found. */
function canonical(name: string): string {
  const letters = name.replace(/[_ -]/g, "");
  return letters.slice(0, 1).toUpperCase() + letters.slice(1).toLowerCase();
}

function known(set: string): string | undefined {
  try {
    new RegExp(set, "u");
    return set;
  } catch {
    return undefined;
  }
}

const otherSets: Readonly<Record<string, string>> = {
  Any: "\\u{0}-\\u{10ffff}",
  Assigned: "\\p{Assigned}",
  Ascii: "\\p{ASCII}",
  Lc: "\\p{LC}",
};

const shortScripts = "Ahom Cham Kawi Lisu Modi Newa Thai Toto";

/** What categories are called beside their letters. */
const categoryNames = `Cased_Letter Close_Punctuation Combining_Mark Connector_Punctuation Control \
Currency_Symbol Dash_Punctuation Decimal_Number Enclosing_Mark Final_Punctuation Format \
Initial_Punctuation Letter Letter_Number Line_Separator Lowercase_Letter Mark Math_Symbol \
Modifier_Letter Modifier_Symbol Nonspacing_Mark Number Open_Punctuation Other Other_Letter \
Other_Number Other_Punctuation Other_Symbol Paragraph_Separator Private_Use Punctuation Separator \
Space_Separator Spacing_Mark Surrogate Symbol Titlecase_Letter Unassigned Uppercase_Letter cntrl \
digit punct`;

/** What stands for characters that cannot be seen, after a backslash. */
export const controls: Readonly<Record<string, number>> = {
  a: 7,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
};
/** The sets of Perl in a class, by their letters; a capital letter is all that is not in the set. */
export const perlSets: Readonly<Record<string, string>> = {
  d: "0-9",
  s: "\\t\\n\\f\\r ",
  w: "0-9A-Za-z_",
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
