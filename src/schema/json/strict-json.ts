import { quote } from "../values/quote.ts";

/** A JSON value with all that its text says: literals of numbers, duplicate members, where it stood. */
export type JsonNode = Span & (JsonObject | JsonArray | JsonScalar);

/** Where a value stands: from the first to behind the last of its UTF-16 code units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}
export interface JsonObject {
  readonly kind: "object";
  /** In document order; a name may occur more than once. */
  readonly members: readonly JsonMember[];
}
export interface JsonMember {
  readonly name: string;
  readonly value: JsonNode;
}
export interface JsonArray {
  readonly kind: "array";
  readonly items: readonly JsonNode[];
}
export type JsonScalar =
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "number"; readonly literal: string }
  | { readonly kind: "boolean"; readonly value: boolean }
  | { readonly kind: "null" };

/** What is no JSON, in Go's words, and where it was found: in UTF-16 code units from the start. */
export class JsonSyntaxError extends SyntaxError {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** Reads a document that is not nested too deeply; throws a SyntaxError with Go's words. */
export function parseJson(text: string, maxDepth = goDepth): JsonNode {
  const reader = new JsonReader(text, maxDepth);
  const open: OpenContainer[] = [];
  let node = reader.begin(open);
  for (;;) {
    while (node === undefined) node = reader.begin(open);
    const container = open.at(-1);
    if (container === undefined) break;
    node = reader.proceed(container, node) ? reader.close(open, container) : reader.begin(open);
  }
  reader.finish();
  return node;
}

/**
 * The plain value of a node. The last of duplicate members wins; an integer that a number cannot
 * hold is a bigint where it fits in 64 bits.
 */
export function jsonValue(node: JsonNode): unknown {
  const unfilled: [JsonNode, unknown][] = [];
  const begin = (child: JsonNode): unknown => {
    if (child.kind === "null") return null;
    if (child.kind === "number") return numberValue(child.literal);
    if (child.kind === "string" || child.kind === "boolean") return child.value;
    const container = child.kind === "object" ? {} : [];
    unfilled.push([child, container]);
    return container;
  };
  const root = begin(node);
  // A list of containers instead of recursion: depth must cost no stack.
  for (let next = unfilled.pop(); next !== undefined; next = unfilled.pop()) {
    const [child, container] = next;
    if (child.kind === "array") {
      for (const item of child.items) (container as unknown[]).push(begin(item));
    } else if (child.kind === "object") {
      for (const { name, value } of child.members) {
        setMember(container as Record<string, unknown>, name, begin(value));
      }
    }
  }
  return root;
}

/** Whether a number would not be the same as a JavaScript number: a large integer, or one out of range. */
export function isInexact(literal: string): boolean {
  const value = Number(literal);
  return /^-?[0-9]+$/.test(literal) ? !Number.isSafeInteger(value) : !Number.isFinite(value);
}

/** Writes a value that may hold bigints, as `jsonValue` makes them. */
export function stringifyJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // The only values of JSON that the native writer refuses are bigints.
    if (!(error instanceof TypeError)) throw error;
    return writeJson(value);
  }
}

/** Sets an own member, whatever its name is. */
export function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(object, name, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  } else {
    object[name] = value;
  }
}

/** What `JSON.parse` may lose of a text, found without parsing it. */
export interface JsonScan {
  /** How many members all objects have together, duplicates included. */
  readonly members: number;
  /** Whether a number has a fraction, an exponent, or more than 15 digits. */
  readonly oddNumbers: boolean;
}

/** Scans a text that `JSON.parse` accepts. */
export function scanJson(text: string): JsonScan {
  let members = 0;
  let oddNumbers = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x20) while (text.charCodeAt(i + 1) === 0x20) i++;
    else if (code === 0x22) i = stringEnd(text, i);
    else if (code === 0x3a) members++;
    else if (code >= 0x30 && code <= 0x39) {
      const end = digitsEnd(text, i + 1);
      const after = text.charCodeAt(end);
      oddNumbers ||= end - i > 15 || after === 0x2e || (after | 0x20) === 0x65;
      i = end - 1;
    }
  }
  return { members, oddNumbers };
}

/** How deep a document may be for Go. */
const goDepth = 10_000;

/**
 * How deep a value may be that is kept as it is: whoever writes, copies or compares it does so by
 * calls in calls, for which the stack must do.
 */
export const maxKeptDepth = 1_000;

interface OpenContainer {
  readonly kind: "object" | "array";
  readonly start: number;
  readonly members: JsonMember[];
  readonly items: JsonNode[];
  /** The name of the member whose value is being read. */
  name: string;
}

const simpleEscapes: ReadonlyMap<number, string> = new Map([
  [0x22, '"'],
  [0x5c, "\\"],
  [0x2f, "/"],
  [0x62, "\b"],
  [0x66, "\f"],
  [0x6e, "\n"],
  [0x72, "\r"],
  [0x74, "\t"],
]);

/** A cursor over the text. Containers are kept by the caller, so that depth costs no stack. */
class JsonReader {
  readonly #text: string;
  readonly #maxDepth: number;
  #at = 0;

  constructor(text: string, maxDepth: number) {
    this.#text = text;
    this.#maxDepth = maxDepth;
  }

  /** Reads a scalar or an empty container; or opens one up to its first value and returns undefined. */
  begin(open: OpenContainer[]): JsonNode | undefined {
    const code = this.#nextToken();
    if (code === 0x7b) return this.#open("object", open);
    if (code === 0x5b) return this.#open("array", open);
    return this.#scalar(code);
  }

  /** Adds a value to its container; true if that ends there. */
  proceed(container: OpenContainer, node: JsonNode): boolean {
    const object = container.kind === "object";
    if (object) container.members.push({ name: container.name, value: node });
    else container.items.push(node);
    const code = this.#nextToken();
    if (code === 0x2c) {
      this.#at++;
      if (object) container.name = this.#name();
      return false;
    }
    if (code === (object ? 0x7d : 0x5d)) return true;
    throw this.#invalid(object ? "after object key:value pair" : "after array element");
  }

  close(open: OpenContainer[], container: OpenContainer): JsonNode {
    open.pop();
    this.#at++;
    const { kind, start, members, items } = container;
    const end = this.#at;
    return kind === "object" ? { kind, members, start, end } : { kind, items, start, end };
  }

  finish(): void {
    this.#skipBlanks();
    if (this.#at < this.#text.length) throw this.#invalid("after top-level value");
  }

  #open(kind: "object" | "array", open: OpenContainer[]): JsonNode | undefined {
    if (open.length >= this.#maxDepth) throw this.#invalid("exceeded max depth");
    const container: OpenContainer = { kind, start: this.#at, members: [], items: [], name: "" };
    open.push(container);
    this.#at++;
    if (this.#nextToken() === (kind === "object" ? 0x7d : 0x5d)) return this.close(open, container);
    if (kind === "object") container.name = this.#name();
    return undefined;
  }

  #name(): string {
    if (this.#nextToken() !== 0x22)
      throw this.#invalid("looking for beginning of object key string");
    const name = this.#string();
    if (this.#nextToken() !== 0x3a) throw this.#invalid("after object key");
    this.#at++;
    return name;
  }

  #scalar(code: number): JsonNode {
    const start = this.#at;
    if (code === 0x22) return { kind: "string", value: this.#string(), start, end: this.#at };
    if (code === 0x2d || isDigit(code)) {
      return { kind: "number", literal: this.#number(), start, end: this.#at };
    }
    if (code === 0x74) this.#word("true");
    else if (code === 0x66) this.#word("false");
    else if (code === 0x6e) this.#word("null");
    else throw this.#invalid("looking for beginning of value");
    const end = this.#at;
    return code === 0x6e
      ? { kind: "null", start, end }
      : { kind: "boolean", value: code === 0x74, start, end };
  }

  #word(word: string): void {
    for (const char of word) {
      if (this.#text[this.#at] !== char) {
        throw this.#invalid(`in literal ${word} (expecting '${char}')`);
      }
      this.#at++;
    }
  }

  #number(): string {
    const start = this.#at;
    if (this.#code() === 0x2d) this.#at++;
    if (this.#code() === 0x30) this.#at++;
    else this.#digits("in numeric literal");
    if (this.#code() === 0x2e) {
      this.#at++;
      this.#digits("after decimal point in numeric literal");
    }
    if ((this.#code() | 0x20) === 0x65) {
      this.#at++;
      if (this.#code() === 0x2b || this.#code() === 0x2d) this.#at++;
      this.#digits("in exponent of numeric literal");
    }
    return this.#text.slice(start, this.#at);
  }

  #digits(context: string): void {
    if (!isDigit(this.#code())) throw this.#invalid(context);
    this.#at = digitsEnd(this.#text, this.#at);
  }

  #string(): string {
    let out = "";
    let start = this.#at + 1;
    for (;;) {
      const end = plainEnd(this.#text, start);
      const code = this.#text.charCodeAt(end);
      this.#at = end;
      if (code === 0x22) {
        this.#at++;
        const rest = this.#text.slice(start, end);
        return out === "" ? rest : wellFormed(out + rest);
      }
      if (end >= this.#text.length) throw new JsonSyntaxError(unexpectedEnd, this.#text.length);
      if (code !== 0x5c) throw this.#invalid("in string literal");
      out += this.#text.slice(start, end) + this.#escape();
      start = this.#at;
    }
  }

  #escape(): string {
    this.#at++;
    const code = this.#code();
    if (code === 0x75) return this.#unicodeEscape();
    const char = simpleEscapes.get(code);
    if (char === undefined) throw this.#invalid("in string escape code");
    this.#at++;
    return char;
  }

  #unicodeEscape(): string {
    this.#at++;
    const start = this.#at;
    for (; this.#at < start + 4; this.#at++) {
      if (!/[0-9a-fA-F]/.test(this.#text[this.#at] ?? "")) {
        throw this.#invalid("in \\u hexadecimal character escape");
      }
    }
    return String.fromCharCode(Number.parseInt(this.#text.slice(start, this.#at), 16));
  }

  /** The next code unit that is no blank; the text must not end before it. */
  #nextToken(): number {
    this.#skipBlanks();
    if (this.#at >= this.#text.length) throw new JsonSyntaxError(unexpectedEnd, this.#text.length);
    return this.#text.charCodeAt(this.#at);
  }

  #skipBlanks(): void {
    for (; this.#at < this.#text.length; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
    }
  }

  /** Inside a literal the end of the text counts as a blank. */
  #code(): number {
    return this.#at < this.#text.length ? this.#text.charCodeAt(this.#at) : 0x20;
  }

  #invalid(context: string): JsonSyntaxError {
    const byte = firstByte(this.#text.codePointAt(this.#at) ?? 0x20);
    return new JsonSyntaxError(`invalid character ${quoteByte(byte)} ${context}`, this.#at);
  }
}

const unexpectedEnd = "unexpected end of JSON input";

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Only escapes can name half a character; Go puts the replacement character there. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, "\ufffd");
}

/** Where a string's plain characters end: at a quote, a backslash, a control character. */
function plainEnd(text: string, at: number): number {
  let end = at;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === 0x22 || code === 0x5c || code < 0x20) break;
  }
  return end;
}

/** Behind the digits that begin at `at`. */
function digitsEnd(text: string, at: number): number {
  let end = at;
  while (isDigit(text.charCodeAt(end))) end++;
  return end;
}

/** The closing quote of the string that opens at `at`. */
function stringEnd(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - slashes - 1) === 0x5c) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}

/** The first byte of a character in UTF-8: what a scanner of bytes stumbles over. */
function firstByte(code: number): number {
  if (code < 0x80) return code;
  if (code < 0x800) return 0xc0 | (code >> 6);
  return code < 0x10000 ? 0xe0 | (code >> 12) : 0xf0 | (code >> 18);
}

function quoteByte(byte: number): string {
  if (byte === 0x27) return "'\\''";
  if (byte === 0x22) return "'\"'";
  return `'${quote(String.fromCharCode(byte)).slice(1, -1)}'`;
}

function writeJson(value: unknown): string {
  if (typeof value === "bigint") return `${value}`;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const texts = members.map(([name, member]) => `${JSON.stringify(name)}:${writeJson(member)}`);
  return `{${texts.join(",")}}`;
}

function numberValue(literal: string): number | bigint {
  const value = Number(literal);
  if (Number.isSafeInteger(value) || !/^-?[0-9]+$/.test(literal)) return value;
  const integer = BigInt(literal);
  return BigInt.asIntN(64, integer) === integer ? integer : value;
}
