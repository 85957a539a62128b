/** A word or an operator of a shell line. */
export type Token = { readonly word: string } | { readonly operator: ";" | "&&" | "||" };

/**
 * The words of a shell line without quotes; undefined if it uses syntax that is not supported: variables,
 * redirections, pipes, substitutions, patterns.
 */
export function shellTokens(text: string): readonly Token[] | undefined {
  const tokens: Token[] = [];
  let isWordOpen = false;
  for (let at = 0; at < text.length; ) {
    piece.lastIndex = at;
    const match = piece.exec(text);
    if (!match) return undefined;
    at = piece.lastIndex;
    const { space, operator, single, double, plain } = match.groups ?? {};
    const part = single ?? double ?? plain;
    if (operator !== undefined)
      tokens.push({ operator: operator === "\n" ? ";" : (operator as ";" | "&&" | "||") });
    if (part !== undefined) addTo(tokens, part, isWordOpen);
    isWordOpen = space === undefined && operator === undefined;
  }
  return tokens;
}

const piece =
  /(?<space>[ \t]+)|(?<operator>;|\n|&&|\|\|)|'(?<single>[^']*)'|"(?<double>[^"$`\\]*)"|(?<plain>[^\s;&|'"$`\\<>(){}*?#!~[\]]+)/y;

function addTo(tokens: Token[], part: string, isWordOpen: boolean): void {
  const last = tokens.at(-1);
  if (isWordOpen && last && "word" in last) tokens[tokens.length - 1] = { word: last.word + part };
  else tokens.push({ word: part });
}
