import { errorMessage } from "../../../base/error-message.ts";
import { unescapeGo } from "../template/go-unquote.ts";
import { namedCharacter } from "../template/named-character.ts";
import type { PathList, PathNode } from "./json-path-node.ts";

/** Reads a template of paths, `text {.path} text`; throws a SyntaxError with kubectl's words. */
export function parsePathTemplate(text: string): PathList {
  return new PathParser(text).parse();
}

const terminators = new Set([" ", "\t", "\r", "\n", ".", ",", "[", "]", "$", "@", "{", "}", ""]);

class PathParser {
  readonly #text: string;
  readonly #root: PathList = { type: "list", nodes: [] };
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): PathList {
    while (this.#at < this.#text.length) {
      const open = this.#text.indexOf("{", this.#at);
      const end = open < 0 ? this.#text.length : open;
      if (end > this.#at)
        this.#root.nodes.push({ type: "text", text: this.#text.slice(this.#at, end) });
      this.#at = end;
      if (open < 0) break;
      this.#at++;
      const list: PathList = { type: "list", nodes: [] };
      this.#root.nodes.push(list);
      while (this.#peek() !== "}") this.#step(list.nodes);
      this.#at++;
    }
    return this.#root;
  }

  #step(nodes: PathNode[]): void {
    const char = this.#peek();
    if (this.#text.startsWith("[?(", this.#at)) this.#filter(nodes);
    else if (this.#text.startsWith("..", this.#at)) this.#recursive(nodes);
    else if (char === "" || char === "\r" || char === "\n")
      throw new SyntaxError("unclosed action");
    else if (char === " " || char === "@" || char === "$") this.#at++;
    else if (char === "[") this.#brackets(nodes);
    else if (char === '"' || char === "'") this.#quoted(char, nodes);
    else if (char === ".") this.#field(nodes);
    else if (/[+-]|\p{Nd}/u.test(char)) this.#number(nodes);
    else if (/[\p{L}_]/u.test(char)) this.#identifier(nodes);
    else throw new SyntaxError(`unrecognized character in action: ${namedCharacter(this.#peek())}`);
  }

  #identifier(nodes: PathNode[]): void {
    const start = this.#at;
    while (!terminators.has(this.#peek())) this.#at++;
    const name = this.#text.slice(start, this.#at);
    if (name === "true" || name === "false") nodes.push({ type: "bool", value: name === "true" });
    else nodes.push({ type: "identifier", name });
  }

  #recursive(nodes: PathNode[]): void {
    if (nodes.at(-1)?.type === "recursive")
      throw new SyntaxError("invalid multiple recursive descent");
    this.#at += 2;
    nodes.push({ type: "recursive" });
    if (!/[\p{L}\p{Nd}_]/u.test(this.#peek())) return;
    // A name may follow without a dot of its own.
    this.#at--;
    this.#field(nodes);
  }

  #field(nodes: PathNode[]): void {
    const start = ++this.#at;
    while (!terminators.has(this.#peek())) this.#at += this.#peek() === "\\" ? 2 : 1;
    this.#at = Math.min(this.#at, this.#text.length);
    const name = this.#text.slice(start, this.#at);
    if (name === "*") nodes.push({ type: "wildcard" });
    else nodes.push({ type: "field", name: name.replaceAll("\\", "") });
  }

  #number(nodes: PathNode[]): void {
    const [literal = ""] = /^[+-]?[\p{Nd}.]*/u.exec(this.#text.slice(this.#at)) ?? [];
    this.#at += literal.length;
    const value = Number(literal);
    if (/^[+-]?\d+$/.test(literal) && Number.isSafeInteger(value))
      nodes.push({ type: "int", value });
    else if (/^[+-]?(?:\d+\.?\d*|\.\d+)$/.test(literal)) nodes.push({ type: "float", value });
    else throw new SyntaxError(`cannot parse number ${literal}`);
  }

  #quoted(mark: string, nodes: PathNode[]): void {
    const start = this.#at;
    let end = start + 1;
    for (; this.#text[end] !== mark || this.#text[end - 1] === "\\"; end++)
      if (this.#text[end] === undefined || this.#text[end] === "\n")
        throw new SyntaxError("unterminated quoted string");
    this.#at = end + 1;
    const inside = this.#text.slice(start + 1, end);
    try {
      nodes.push({ type: "text", text: unescapeGo(inside, mark) });
    } catch (error) {
      throw new SyntaxError(
        `unquote string ${this.#text.slice(start, this.#at)} error ${errorMessage(error)}`,
      );
    }
  }

  #brackets(nodes: PathNode[]): void {
    const end = this.#text.indexOf("]", this.#at);
    const inside = this.#text.slice(this.#at + 1, end);
    if (end < 0 || inside.includes("\n")) throw new SyntaxError("unterminated array");
    this.#at = end + 1;
    const parts = inside.split(",");
    if (parts.length === 1) {
      nodes.push(...bracketNodes(inside));
      return;
    }
    const lists = parts.map((part) => listOf(`[${part.replaceAll(/^ +| +$/g, "")}]`));
    nodes.push({ type: "union", lists });
  }

  #filter(nodes: PathNode[]): void {
    const start = this.#at + 3;
    const end = this.#endOfFilter(start);
    if (this.#text[end + 1] !== "]") throw new SyntaxError("unclosed array expect ]");
    this.#at = end + 2;
    const text = this.#text.slice(start, end);
    const [, left, operator, right] = /^([^!<>=]+)([!<>=]+)(.+?)$/.exec(text) ?? [];
    nodes.push({
      type: "filter",
      left: listOf(left ?? text),
      operator: operator ?? "exists",
      right: right === undefined ? { type: "list", nodes: [] } : listOf(right),
    });
  }

  /** The closing parenthesis that is not within quotes; quotes are found only once. */
  #endOfFilter(start: number): number {
    let quote = "";
    let closed = false;
    for (let i = start; ; i++) {
      const char = this.#text[i];
      if (char === undefined || char === "\n") throw new SyntaxError("unterminated filter");
      if (char === ")" && (quote === "" || closed)) return i;
      if (char !== '"' && char !== "'") continue;
      if (quote === "") quote = char;
      else if (char === quote && this.#text[i - 1] !== "\\") closed = true;
    }
  }

  #peek(): string {
    const code = this.#text.codePointAt(this.#at);
    return code === undefined ? "" : String.fromCodePoint(code);
  }
}

/** The steps of a path without its braces. */
function listOf(path: string): PathList {
  const [list] = parsePathTemplate(`{${path}}`).nodes;
  return list?.type === "list" ? list : { type: "list", nodes: [] };
}

/** `'name'`, `3`, `1:4:2` or `*`. */
function bracketNodes(inside: string): readonly PathNode[] {
  const text = inside === "*" ? ":" : inside;
  const name = /^'([^']*)'$/.exec(text)?.[1];
  if (name !== undefined) return listOf(`.${name}`).nodes;
  const [all, from = "", to, step] = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(text) ?? [];
  if (all === undefined) throw new SyntaxError(`invalid array index ${text}`);
  return [
    {
      type: "slice",
      from: position(from),
      to: position(to?.slice(1)),
      step: position(step?.slice(1)),
      isOne: to === undefined,
    },
  ];
}

function position(digits: string | undefined): number | undefined {
  if (digits === undefined || digits === "") return undefined;
  const value = Number(digits);
  if (!Number.isSafeInteger(value)) throw new SyntaxError(`array index ${digits} is not a number`);
  return value;
}
