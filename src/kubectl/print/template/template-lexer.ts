import { quote } from "../../../schema/values/quote.ts";
import { namedCharacter } from "./named-character.ts";

export type TokenType =
  | "error"
  | "bool"
  | "char"
  | "char constant"
  | "complex"
  | "="
  | ":="
  | "EOF"
  | "field"
  | "identifier"
  | "left delimiter"
  | "("
  | "number"
  | "|"
  | "raw string"
  | "right delimiter"
  | ")"
  | "space"
  | "string"
  | "text"
  | "variable"
  | Keyword;

type Keyword =
  | "."
  | "block"
  | "break"
  | "continue"
  | "define"
  | "else"
  | "end"
  | "if"
  | "nil"
  | "range"
  | "template"
  | "with";

export interface Token {
  readonly type: TokenType;
  /** Where it begins, in code units of the text. */
  readonly at: number;
  /** Its text; of an error, the message. */
  readonly text: string;
  readonly line: number;
}

const keywords: ReadonlySet<string> = new Set<Keyword>([
  "block",
  "break",
  "continue",
  "define",
  "else",
  "end",
  "if",
  "nil",
  "range",
  "template",
  "with",
]);

export const isKeyword = (type: TokenType): boolean => type === "." || keywords.has(type);

const alphanumeric = /[\p{L}\p{Nd}_]/u;
const space = /[ \t\r\n]/;

/** Splits the text of a template into tokens, one at a time: after an error there is no more. */
export class TemplateLexer {
  readonly #text: string;
  #at = 0;
  #line = 1;
  #start = 0;
  #startLine = 1;
  #inAction = false;
  #parens = 0;
  #failed = false;

  constructor(text: string) {
    this.#text = text;
  }

  next(): Token {
    if (this.#failed) return this.#endOfFile();
    return this.#inAction ? this.#insideAction() : this.#outsideAction();
  }

  #outsideAction(): Token {
    for (;;) {
      const open = this.#text.indexOf("{{", this.#at);
      const end = open < 0 ? this.#text.length : open;
      if (open < 0 || open > this.#at) {
        const whole = this.#text.slice(this.#at, end);
        const trims = open >= 0 && trimsLeft(this.#text, open + 2);
        const kept = trims ? whole.replace(/[ \t\r\n]+$/, "") : whole;
        this.#advance(this.#at + kept.length);
        const token = this.#token("text");
        this.#advance(end);
        this.#ignore();
        if (kept !== "") return token;
        if (open < 0) return this.#endOfFile();
      }
      const token = this.#leftDelimiter();
      if (token) return token;
    }
  }

  /** The delimiter; undefined after a comment, which is skipped. */
  #leftDelimiter(): Token | undefined {
    const marker = trimsLeft(this.#text, this.#at + 2) ? 2 : 0;
    if (this.#text.startsWith("/*", this.#at + 2 + marker)) {
      this.#advance(this.#at + 2 + marker);
      this.#ignore();
      return this.#comment();
    }
    this.#advance(this.#at + 2);
    const token = this.#token("left delimiter");
    this.#inAction = true;
    this.#advance(this.#at + marker);
    this.#ignore();
    this.#parens = 0;
    return token;
  }

  #comment(): Token | undefined {
    const end = this.#text.indexOf("*/", this.#at + 2);
    if (end < 0) return this.#error("unclosed comment");
    const right = this.#rightDelimiterAt(end + 2);
    if (!right) return this.#error("comment ends before closing delimiter");
    this.#advance(end + 2 + right.length);
    if (right.trims) this.#skipSpace();
    this.#ignore();
    return undefined;
  }

  #rightDelimiterAt(at: number): { readonly length: number; readonly trims: boolean } | undefined {
    if (space.test(this.#text[at] ?? "") && this.#text.startsWith("-}}", at + 1))
      return { length: 4, trims: true };
    return this.#text.startsWith("}}", at) ? { length: 2, trims: false } : undefined;
  }

  #rightDelimiter(trims: boolean): Token {
    if (trims) {
      this.#advance(this.#at + 2);
      this.#ignore();
    }
    this.#advance(this.#at + 2);
    const token = this.#token("right delimiter");
    if (trims) {
      this.#skipSpace();
      this.#ignore();
    }
    this.#inAction = false;
    return token;
  }

  #insideAction(): Token {
    const right = this.#rightDelimiterAt(this.#at);
    if (right)
      return this.#parens === 0
        ? this.#rightDelimiter(right.trims)
        : this.#error("unclosed left paren");
    const char = this.#peek();
    if (char === "") return this.#error("unclosed action");
    if (space.test(char)) return this.#space();
    if (char === '"') return this.#quoted(char, "string", "unterminated quoted string");
    if (char === "'") return this.#quoted(char, "char constant", "unterminated character constant");
    if (char === "`") return this.#rawString();
    if (/[+\-\d]/.test(char) || /^\.\d/.test(this.#text.slice(this.#at, this.#at + 2)))
      return this.#number();
    if (char === "." || char === "$") return this.#fieldOrVariable(char);
    if (alphanumeric.test(char)) return this.#identifier();
    this.#advance(this.#at + char.length);
    return this.#sign(char);
  }

  #sign(char: string): Token {
    switch (char) {
      case "=":
      case "|":
        return this.#token(char);
      case ":":
        if (this.#peek() !== "=") return this.#error("expected :=");
        this.#advance(this.#at + 1);
        return this.#token(":=");
      case "(":
        this.#parens++;
        return this.#token("(");
      case ")":
        if (--this.#parens < 0) return this.#error("unexpected right paren");
        return this.#token(")");
      default:
        if (/^[!-~]$/.test(char)) return this.#token("char");
        return this.#error(`unrecognized character in action: ${namedCharacter(char)}`);
    }
  }

  #space(): Token {
    let end = this.#at;
    while (space.test(this.#text[end] ?? "")) end++;
    // The last blank belongs to a delimiter that trims.
    if (this.#text.startsWith("-}}", end)) {
      if (end - this.#at === 1) return this.#rightDelimiter(true);
      end--;
    }
    this.#advance(end);
    return this.#token("space");
  }

  #quoted(mark: string, type: TokenType, unterminated: string): Token {
    for (let i = this.#at + 1; ; i++) {
      const escaped = this.#text[i] === "\\";
      if (escaped) i++;
      const char = this.#text[i];
      if (char === undefined || char === "\n") return this.#error(unterminated);
      if (char === mark && !escaped) return this.#take(i + 1, type);
    }
  }

  #rawString(): Token {
    const end = this.#text.indexOf("`", this.#at + 1);
    if (end < 0) return this.#error("unterminated raw quoted string");
    return this.#take(end + 1, "raw string");
  }

  #fieldOrVariable(first: string): Token {
    const type = first === "." ? "field" : "variable";
    this.#advance(this.#at + 1);
    if (this.#atTerminator()) return this.#token(first === "." ? "." : "variable");
    this.#skipAlphanumeric();
    return this.#atTerminator() ? this.#token(type) : this.#badCharacter();
  }

  #identifier(): Token {
    this.#skipAlphanumeric();
    if (!this.#atTerminator()) return this.#badCharacter();
    const word = this.#text.slice(this.#start, this.#at);
    if (keywords.has(word)) return this.#token(word as Keyword);
    return this.#token(word === "true" || word === "false" ? "bool" : "identifier");
  }

  #number(): Token {
    const good = this.#scanNumber();
    if (!good) return this.#error(`bad number syntax: ${quote(this.#current())}`);
    if (!/[+-]/.test(this.#peek())) return this.#token("number");
    if (!this.#scanNumber() || this.#text[this.#at - 1] !== "i")
      return this.#error(`bad number syntax: ${quote(this.#current())}`);
    return this.#token("complex");
  }

  /** Takes what looks like a number, and one more character if that cannot follow one. */
  #scanNumber(): boolean {
    const [length] = numberShape.exec(this.#text.slice(this.#at))?.map((text) => text.length) ?? [];
    this.#advance(this.#at + (length ?? 0));
    const next = this.#peek();
    if (!alphanumeric.test(next)) return true;
    this.#advance(this.#at + next.length);
    return false;
  }

  #skipAlphanumeric(): void {
    for (let char = this.#peek(); alphanumeric.test(char); char = this.#peek())
      this.#advance(this.#at + char.length);
  }

  #skipSpace(): void {
    let end = this.#at;
    while (space.test(this.#text[end] ?? "")) end++;
    this.#advance(end);
  }

  #atTerminator(): boolean {
    const char = this.#peek();
    return char === "" || /[ \t\r\n.,|:()]/.test(char) || this.#text.startsWith("}}", this.#at);
  }

  #badCharacter(): Token {
    const char = this.#peek();
    this.#advance(this.#at + char.length);
    return this.#error(`bad character ${namedCharacter(char)}`);
  }

  #peek(): string {
    const code = this.#text.codePointAt(this.#at);
    return code === undefined ? "" : String.fromCodePoint(code);
  }

  #current(): string {
    return this.#text.slice(this.#start, this.#at);
  }

  #advance(end: number): void {
    for (let i = this.#at; i < end; i++) if (this.#text[i] === "\n") this.#line++;
    this.#at = end;
  }

  #take(end: number, type: TokenType): Token {
    this.#advance(end);
    return this.#token(type);
  }

  #ignore(): void {
    this.#start = this.#at;
    this.#startLine = this.#line;
  }

  #token(type: TokenType): Token {
    const token = { type, at: this.#start, text: this.#current(), line: this.#startLine };
    this.#ignore();
    return token;
  }

  #error(message: string): Token {
    this.#failed = true;
    return { type: "error", at: this.#start, text: message, line: this.#startLine };
  }

  #endOfFile(): Token {
    return { type: "EOF", at: this.#at, text: "EOF", line: this.#startLine };
  }
}

const numberShape =
  /^[+-]?(?:0[xX][\da-fA-F_]*(?:\.[\da-fA-F_]*)?(?:[pP][+-]?[\d_]*)?|0[oO][0-7_]*(?:\.[0-7_]*)?|0[bB][01_]*(?:\.[01_]*)?|[\d_]*(?:\.[\d_]*)?(?:[eE][+-]?[\d_]*)?)i?/;

const trimsLeft = (text: string, at: number): boolean =>
  text[at] === "-" && space.test(text[at + 1] ?? "");
