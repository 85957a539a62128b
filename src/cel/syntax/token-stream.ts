import { isHidden, type Lexer } from "./lex.ts";
import { endOfText, type Token } from "./token.ts";

/** The tokens of a text, read as far as they are asked for. */
export interface TokenStream {
  /** The token so many places ahead: 0 is the next; -1 is the one before it, if there is one. */
  at(distance: number): Token;
  previous(): Token | undefined;
  /** Where the next token is: grows with every one that is consumed. */
  index(): number;
  /** Goes past the next token; the end stays where it is. */
  consume(): void;
  /** The text from one token to another, with what is hidden between them. */
  textOf(first: Token, last: Token): string;
}

export function createTokenStream(lexer: Lexer): TokenStream {
  const all: Token[] = [];
  const visible: Token[] = [];
  let next = 0;
  return { at, previous: () => visible[next - 1], index: () => next, consume, textOf };

  function at(distance: number): Token {
    for (;;) {
      const wanted = visible[next + distance];
      if (wanted !== undefined) return wanted;
      const last = visible.at(-1);
      if (last?.type === endOfText) return last;
      const token = lexer();
      all.push(token);
      if (!isHidden(token)) visible.push(token);
    }
  }

  function consume(): void {
    if (at(0).type !== endOfText) next++;
  }

  function textOf(first: Token, last: Token): string {
    return all
      .slice(all.indexOf(first), all.indexOf(last) + 1)
      .filter(({ type }) => type !== endOfText)
      .map(({ text }) => text)
      .join("");
  }
}
