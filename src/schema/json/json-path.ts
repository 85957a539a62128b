import { evaluatePath, type PathStep } from "./json-path-evaluate.ts";

/** Finds the values that a path leads to. Throws where it leads through what has no such place. */
export type JsonPath = (value: unknown) => readonly unknown[];

/** A path that is none. */
export class JsonPathError extends SyntaxError {
  override readonly name = "JsonPathError";
}

/**
 * Reads a path in the syntax that kubectl and definitions of columns have, without its braces:
 * `.status.conditions[?(@.type=="Ready")].status`. Members that are absent lead nowhere.
 */
export function parseJsonPath(text: string): JsonPath {
  const steps = new PathReader(text).read();
  return (value) => evaluatePath(steps, [value]);
}

const terminators = new Set([" ", "\t", "\r", "\n", "", ".", ",", "[", "]", "$", "@", "{", "}"]);

class PathReader {
  readonly #text: string;
  #at = 0;
  readonly #steps: PathStep[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  read(): readonly PathStep[] {
    while (this.#at < this.#text.length && this.#peek() !== "}") this.#step();
    return this.#steps;
  }

  #step(): void {
    const rest = this.#text.slice(this.#at);
    const char = this.#peek();
    if (rest.startsWith("[?(")) this.#filter();
    else if (rest.startsWith("..")) this.#recursive();
    else if (char === " " || char === "@" || char === "$") this.#at++;
    else if (char === "[") this.#brackets();
    else if (char === '"' || char === "'") this.#quoted(char);
    else if (char === ".") this.#field();
    else if (/[+\-\d]/.test(char)) this.#number();
    else if (/[\p{L}_]/u.test(char)) this.#word();
    else throw new JsonPathError(`unrecognized character in action: ${char}`);
  }

  #recursive(): void {
    if (this.#steps.at(-1)?.type === "recursive")
      throw new JsonPathError("invalid multiple recursive descent");
    this.#at += 2;
    this.#steps.push({ type: "recursive" });
    if (/[\p{L}\d_]/u.test(this.#peek())) {
      this.#at--;
      this.#field();
    }
  }

  #field(): void {
    const start = ++this.#at;
    for (; !terminators.has(this.#peek()); this.#at++) if (this.#peek() === "\\") this.#at++;
    const name = this.#text.slice(start, this.#at);
    if (name === "*") this.#steps.push({ type: "wildcard" });
    else this.#steps.push({ type: "field", name: name.replaceAll("\\", "") });
  }

  #word(): void {
    const start = this.#at;
    while (!terminators.has(this.#peek())) this.#at++;
    const word = this.#text.slice(start, this.#at);
    if (word !== "true" && word !== "false")
      throw new JsonPathError(`unrecognized identifier ${word}`);
    this.#steps.push({ type: "literal", value: word === "true" });
  }

  #number(): void {
    const [literal = ""] = /^[+-]?[\d.]*/.exec(this.#text.slice(this.#at)) ?? [];
    this.#at += literal.length;
    const value = Number(literal);
    if (literal === "" || Number.isNaN(value))
      throw new JsonPathError(`cannot parse number ${literal}`);
    this.#steps.push({ type: "literal", value });
  }

  #quoted(quote: string): void {
    const end = this.#endOfQuote(this.#at, quote);
    const inside = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    this.#steps.push({ type: "literal", value: inside.replaceAll(/\\(.)/g, "$1") });
  }

  #endOfQuote(start: number, quote: string): number {
    for (let i = start + 1; i < this.#text.length; i++)
      if (this.#text[i] === quote && this.#text[i - 1] !== "\\") return i;
    throw new JsonPathError("unterminated quoted string");
  }

  #brackets(): void {
    const end = this.#text.indexOf("]", this.#at);
    if (end < 0) throw new JsonPathError("unterminated array");
    const inside = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    const parts = inside.split(",");
    if (parts.length > 1)
      this.#steps.push({
        type: "union",
        paths: parts.map((part) => new PathReader(`[${part.trim()}]`).read()),
      });
    else this.#steps.push(bracketStep(inside));
  }

  #filter(): void {
    const start = this.#at + 3;
    let quote = "";
    let end = start;
    for (; this.#text[end] !== ")" || quote !== ""; end++) {
      const char = this.#text[end];
      if (char === undefined) throw new JsonPathError("unterminated filter");
      if (quote === "" && (char === '"' || char === "'")) quote = char;
      else if (char === quote && this.#text[end - 1] !== "\\") quote = "";
    }
    if (this.#text[end + 1] !== "]") throw new JsonPathError("unclosed array expect ]");
    this.#at = end + 2;
    const text = this.#text.slice(start, end);
    const [, left, operator, right] = /^([^!<>=]+)([!<>=]+)(.+?)$/.exec(text) ?? [];
    this.#steps.push({
      type: "filter",
      left: new PathReader(left ?? text).read(),
      operator: operator ?? "exists",
      right: new PathReader(right ?? "").read(),
    });
  }

  #peek(): string {
    return this.#text[this.#at] ?? "";
  }
}

/** `'name'`, `3`, `1:4:2` or `*`. */
function bracketStep(inside: string): PathStep {
  const name = /^'([^']*)'$/.exec(inside)?.[1];
  if (name !== undefined) {
    const [step] = new PathReader(`.${name}`).read();
    if (step) return step;
  }
  const text = inside === "*" ? ":" : inside;
  const [, from = "", to, step] = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text) ?? [];
  if (text === "" || (from === "" && to === undefined))
    throw new JsonPathError(`invalid array index ${text}`);
  const index = (part: string | undefined) => {
    const digits = part?.replace(":", "") ?? "";
    return digits === "" ? undefined : Number(digits);
  };
  return {
    type: "slice",
    from: index(from),
    to: index(to),
    step: index(step),
    isOne: to === undefined,
  };
}
