/** Splits a text of several JSON values, one after the other, at their outer braces. */
export function* jsonValues(text: string): Generator<string> {
  let start = 0;
  let depth = 0;
  for (const { index, 0: token } of text.matchAll(tokens)) {
    if (token === "{" || token === "[") depth++;
    if (token !== "}" && token !== "]") continue;
    depth--;
    if (depth !== 0) continue;
    yield text.slice(start, index + 1).trim();
    start = index + 1;
  }
  const rest = text.slice(start).trim();
  if (rest !== "") yield rest;
}

/** Strings, whose braces do not count, and braces. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]]/gs;
