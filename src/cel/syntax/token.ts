/** A piece of the text of an expression: `end` is the offset of the character after it. */
export interface Token {
  readonly type: number;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The end of the text, as a type of token. */
export const endOfText = -1;

/** The types of tokens in the order of the grammar, which is the order in which messages list them. */
const names = [
  "",
  "'=='",
  "'!='",
  "'in'",
  "'<'",
  "'<='",
  "'>='",
  "'>'",
  "'&&'",
  "'||'",
  "'['",
  "']'",
  "'{'",
  "'}'",
  "'('",
  "')'",
  "'.'",
  "','",
  "'-'",
  "'!'",
  "'?'",
  "':'",
  "'+'",
  "'*'",
  "'/'",
  "'%'",
  "'true'",
  "'false'",
  "'null'",
  "WHITESPACE",
  "COMMENT",
  "NUM_FLOAT",
  "NUM_INT",
  "NUM_UINT",
  "STRING",
  "BYTES",
  "IDENTIFIER",
  "ESC_IDENTIFIER",
] as const;

/** The number of a type of token, by its name in messages. */
export function tokenType(name: (typeof names)[number]): number {
  return names.indexOf(name);
}

/** The types of the tokens with a fixed text, by that text. */
export const fixedTokens: ReadonlyMap<string, number> = new Map(
  names.flatMap((name, type) => (name.startsWith("'") ? [[name.slice(1, -1), type] as const] : [])),
);

/** The text that stands for a token that was missing: only those with a fixed text have one. */
export function missingText(type: number): string {
  if (type === endOfText) return "<missing EOF>";
  const name = names[type] ?? "";
  return `<missing ${name.startsWith("'") ? name : "undefined"}>`;
}

/** Shows a set of types of tokens as a message does: `{'.', IDENTIFIER}`, or the only one. */
export function showTokenTypes(types: ReadonlySet<number>): string {
  const shown = [...types]
    .sort((a, b) => a - b)
    .map((type) => (type === endOfText ? "<EOF>" : (names[type] ?? "")));
  return shown.length === 1 ? (shown[0] ?? "") : `{${shown.join(", ")}}`;
}

/** Shows the text of a token, or of several, as a message does: in quotes, on one line. */
export function quoteTokenText(text: string): string {
  const escaped = text.replaceAll("\t", "\\t").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
  return `'${escaped}'`;
}
