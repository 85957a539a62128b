import { formatFloat } from "./yaml-scalar.ts";
import { scalarStyle } from "./yaml-style.ts";

/** Writes a JSON value as go-yaml does; members that are undefined are left out. */
export function writeYaml(value: unknown): string {
  const writer = new Writer();
  writer.node(value, -1, false);
  return writer.finish();
}

const bestWidth = 80;
const maxSimpleKey = 128;

/** Follows libyaml's emitter: what may share a line depends on what that line holds already. */
class Writer {
  #out = "";
  #column = 0;
  /** Whether the last thing written was blank. */
  #blank: boolean = true;
  /** Whether the line holds nothing but indentation and indicators. */
  #indenting: boolean = true;

  /** Writes a value that belongs to a collection indented by `indent`; -1 at the top. */
  node(value: unknown, indent: number, underKey: boolean): void {
    if (Array.isArray(value)) this.#list(value, indent, underKey);
    else if (typeof value === "object" && value !== null) this.#mapping(value, indent);
    else if (typeof value === "string") this.#string(value, indent, false);
    else this.#word(scalarText(value));
  }

  finish(): string {
    if (this.#column > 0) this.#break();
    return this.#out;
  }

  #list(items: readonly unknown[], indent: number, underKey: boolean): void {
    if (items.length === 0) {
      this.#word("[]");
      return;
    }
    const own = underKey && !this.#indenting ? indent : deeper(indent);
    for (const item of items) {
      this.#startLine(own);
      this.#indicator("-");
      this.node(item, own, false);
    }
  }

  #mapping(object: object, indent: number): void {
    const members = Object.entries(object).filter(([, value]) => value !== undefined);
    if (members.length === 0) {
      this.#word("{}");
      return;
    }
    const own = deeper(indent);
    for (const [key, value] of members.sort(([a], [b]) => compareKeys(a, b))) {
      this.#startLine(own);
      if (isSimpleKey(key)) {
        this.#string(key, own, true);
        this.#put(":");
        this.#indenting = false;
      } else {
        this.#indicator("?");
        this.#string(key, own, false);
        this.#startLine(own);
        this.#indicator(":");
      }
      this.node(value, own, true);
    }
  }

  #string(text: string, indent: number, key: boolean): void {
    const style = scalarStyle(text);
    const inner = indent < 0 ? 2 : indent + 2;
    if (style === "literal") this.#literal(text, inner);
    else if (style === "double") this.#doubleQuoted(text, inner, key);
    else this.#flat(text, { quote: style === "single" ? "'" : "", indent: inner, key });
  }

  /** Plain or in single quotes; a long line is folded at a single space. */
  #flat(text: string, options: { quote: string; indent: number; key: boolean }): void {
    const { quote, indent, key } = options;
    this.#separate();
    this.#put(quote);
    const words = text.split(" ");
    for (const [index, word] of words.entries()) {
      if (index > 0) {
        const single = words[index - 1] !== "" && word !== "";
        if (!key && single && this.#column > bestWidth) this.#startLine(indent);
        else this.#put(" ");
      }
      this.#put(quote === "" ? word : word.replaceAll("'", "''"));
      this.#indenting = false;
    }
    this.#put(quote);
    this.#indenting = false;
  }

  #doubleQuoted(text: string, indent: number, key: boolean): void {
    this.#separate();
    this.#put('"');
    this.#indenting = false;
    const chars = [...text];
    for (const [index, char] of chars.entries()) {
      const inside = index > 0 && index < chars.length - 1;
      const fold = char === " " && chars[index - 1] !== " " && inside && !key;
      if (fold && this.#column > bestWidth) {
        this.#startLine(indent);
        if (chars[index + 1] === " ") this.#put("\\");
        this.#indenting = false;
      } else {
        this.#put(escaped(char));
      }
    }
    this.#put('"');
  }

  #literal(text: string, indent: number): void {
    this.#separate();
    this.#put(`|${/^[ \n]/.test(text) ? "2" : ""}${chomping(text)}`);
    const lines = text.split("\n");
    for (const line of lines[lines.length - 1] === "" ? lines.slice(0, -1) : lines) {
      this.#break();
      if (line !== "") this.#put(" ".repeat(indent) + line);
    }
    this.#indenting = false;
    if (text.endsWith("\n")) {
      this.#break();
      this.#blank = true;
      this.#indenting = true;
    }
  }

  #word(text: string): void {
    this.#separate();
    this.#put(text);
    this.#indenting = false;
  }

  /** `-`, `?` or `:`, behind which a collection may begin on the same line. */
  #indicator(char: string): void {
    this.#separate();
    this.#put(char);
  }

  #separate(): void {
    if (!this.#blank) this.#put(" ");
  }

  #startLine(indent: number): void {
    const used = this.#column > indent || (this.#column === indent && !this.#blank);
    if (!this.#indenting || used) this.#break();
    this.#put(" ".repeat(indent - this.#column));
    this.#blank = true;
    this.#indenting = true;
  }

  #put(text: string): void {
    if (text === "") return;
    this.#out += text;
    this.#column += lengthOf(text);
    this.#blank = false;
  }

  #break(): void {
    this.#out += "\n";
    this.#column = 0;
  }
}

function deeper(indent: number): number {
  return indent < 0 ? 0 : indent + 2;
}

function scalarText(value: unknown): string {
  if (typeof value !== "number") return `${value ?? null}`;
  return Number.isSafeInteger(value) ? `${value}` : formatFloat(value);
}

function isSimpleKey(key: string): boolean {
  if (key.length > maxSimpleKey || key.includes("\n")) return false;
  return key.length * 3 <= maxSimpleKey || new TextEncoder().encode(key).length <= maxSimpleKey;
}

function chomping(text: string): string {
  if (!text.endsWith("\n")) return "-";
  return text === "\n" || text.endsWith("\n\n") ? "+" : "";
}

function lengthOf(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800) length--;
  }
  return length;
}

const shortEscapes: ReadonlyMap<string, string> = new Map([
  ["\0", "\\0"],
  ["\x07", "\\a"],
  ["\b", "\\b"],
  ["\t", "\\t"],
  ["\n", "\\n"],
  ["\v", "\\v"],
  ["\f", "\\f"],
  ["\r", "\\r"],
  ["\x1b", "\\e"],
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\x85", "\\N"],
  ["\u2028", "\\L"],
  ["\u2029", "\\P"],
]);

function escaped(char: string): string {
  const short = shortEscapes.get(char);
  if (short !== undefined) return short;
  const code = char.codePointAt(0) ?? 0;
  if ((code >= 0x20 && code <= 0x7e) || (code >= 0xa0 && code < 0xfffe && code !== 0xfeff)) {
    return char;
  }
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

/** Letters after everything else, numbers by value: `a2` before `a10`. */
function compareKeys(left: string, right: string): number {
  const a = [...left];
  const b = [...right];
  for (let i = 0; i < a.length && i < b.length; i++) {
    const x = a[i] ?? "";
    const y = b[i] ?? "";
    if (x === y) continue;
    const letters = [isLetter(x), isLetter(y)];
    if (letters[0] && letters[1]) return order(x, y);
    if (letters[0] || letters[1]) return letters[1] ? -1 : 1;
    return compareNumbers(a, b, i);
  }
  return a.length - b.length;
}

/** Compares the digits from `at`, where the keys first differ. */
function compareNumbers(a: readonly string[], b: readonly string[], at: number): number {
  const started = (a[at] === "0" || b[at] === "0") && followsNumber(a, at);
  const x = digitsFrom(a, at);
  const y = digitsFrom(b, at);
  const lead = started ? "1" : "";
  const difference = Number(lead + x || "0") - Number(lead + y || "0");
  if (difference !== 0) return difference;
  return x.length - y.length || order(a[at] ?? "", b[at] ?? "");
}

/** Whether the digits before `at` hold one that is not zero, so that a zero here counts. */
function followsNumber(chars: readonly string[], at: number): boolean {
  for (let i = at - 1; i >= 0 && isDigit(chars[i]); i--) if (chars[i] !== "0") return true;
  return false;
}

function digitsFrom(chars: readonly string[], at: number): string {
  let digits = "";
  for (let i = at; isDigit(chars[i]); i++) digits += chars[i];
  return digits;
}

function isDigit(char: string | undefined): boolean {
  return char !== undefined && char >= "0" && char <= "9";
}

function isLetter(char: string): boolean {
  return /^\p{L}/u.test(char);
}

function order(a: string, b: string): number {
  return (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0);
}
