/** Splits a text of several JSON values, one after the other, at their outer braces. */
export function* jsonValues(text: string): Generator<JsonText> {
  let start = 0;
  let depth = 0;
  for (const { index, 0: token } of text.matchAll(tokens)) {
    if (token === "{" || token === "[") depth++;
    if (token !== "}" && token !== "]") continue;
    depth--;
    if (depth !== 0) continue;
    yield { text: text.slice(start, index + 1), start };
    start = index + 1;
  }
  const rest = text.slice(start);
  if (rest.trim() !== "") yield { text: rest, start };
}

/** The text of a value with the blanks before it, and where it starts. */
export interface JsonText {
  readonly text: string;
  readonly start: number;
}

/** Strings, whose braces do not count, and braces. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]]/gs;
