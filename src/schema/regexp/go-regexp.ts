import {
  type CharacterPart,
  type CharacterSet,
  compileRegexp,
  type RegexpNode,
  type RegexpProgram,
} from "./regexp-program.ts";
import { controls, perlSets, posixSets, shown, unicodeSet } from "./regexp-sets.ts";

/** What Go says of a regular expression that it cannot read; undefined if it can. */
export function regexpFault(pattern: string): string | undefined {
  try {
    new RegexpParser(pattern).parse();
    return undefined;
  } catch (error) {
    if (error instanceof RegexpError) return `error parsing regexp: ${error.message}`;
    throw error;
  }
}

/** A regular expression in Go's syntax; throws for one that Go cannot read. */
export function goRegexp(pattern: string): RegexpProgram {
  return compileRegexp(new RegexpParser(pattern).parse());
}

class RegexpError extends Error {
  constructor(what: string, where: string) {
    super(`${what}: \`${where}\``);
  }
}

interface Flags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
  readonly U: boolean;
}
type Flag = keyof Flags;
const maxRepeat = 1000;
const maxDepth = 1000;
/** Nodes of an expression, with its repetitions written out. */
const maxSize = 100_000;

/** Reads from left to right. Sets of characters are written as classes of JavaScript's `u` mode. */
class RegexpParser {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  #flags: Flags = { i: false, m: false, s: false, U: false };

  constructor(text: string) {
    this.#text = text;
  }

  parse(): RegexpNode {
    const { node } = this.#alternatives();
    if (this.#at < this.#text.length) throw new RegexpError("unexpected )", this.#text);
    return node;
  }

  /** Up to a closing parenthesis or the end. */
  #alternatives(): Piece {
    if (++this.#depth > maxDepth) throw new RegexpError("expression nests too deeply", this.#text);
    const branches = [this.#sequence()];
    while (this.#text[this.#at] === "|") {
      this.#at++;
      branches.push(this.#sequence());
    }
    this.#depth--;
    const [only, ...others] = branches as [Piece, ...Piece[]];
    if (others.length === 0) return only;
    return joined(branches, { kind: "any", of: branches.map(({ node }) => node) });
  }

  #sequence(): Piece {
    const pieces: Piece[] = [];
    let repeated: number | undefined;
    while (this.#at < this.#text.length && !")|".includes(this.#text[this.#at] as string)) {
      const start = this.#at;
      const repeat = this.#repeat();
      if (!repeat) {
        repeated = undefined;
        const piece = this.#atom();
        if (piece) pieces.push(piece);
        continue;
      }
      if (repeated !== undefined)
        throw new RegexpError(
          "invalid nested repetition operator",
          this.#text.slice(repeated, this.#at),
        );
      const last = pieces.pop();
      const operator = this.#text.slice(start, this.#at);
      if (!last) throw new RegexpError("missing argument to repetition operator", operator);
      pieces.push(this.#applied(last, repeat, operator));
      repeated = start;
    }
    return joined(pieces, { kind: "all", of: pieces.map(({ node }) => node) });
  }

  #applied({ node, weight, size }: Piece, repeat: Repeat, operator: string): Piece {
    const { min, max, counted, lazy } = repeat;
    const count = Math.max(min, max, 1);
    const valid = min <= maxRepeat && max <= maxRepeat && (max < 0 || min <= max);
    if (counted && (!valid || (count >= 2 && weight * count > maxRepeat)))
      throw new RegexpError("invalid repeat count", operator);
    if (size * count > maxSize) throw new RegexpError("expression too large", this.#text);
    return {
      node: { kind: "repeat", of: node, min, max, isLazy: lazy !== this.#flags.U },
      weight: counted ? weight * count : weight,
      size: size * count + 1,
    };
  }

  #repeat(): Repeat | undefined {
    const found = /^(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})/.exec(this.#rest(16));
    if (!found) return undefined;
    const [text, low, comma, high] = found;
    this.#at += text.length;
    const lazy = this.#text[this.#at] === "?";
    if (lazy) this.#at++;
    if (low === undefined)
      return { min: text === "+" ? 1 : 0, max: text === "?" ? 1 : -1, counted: false, lazy };
    const min = Number(low);
    const max = comma === undefined ? min : high === "" ? -1 : Number(high);
    return { min, max, counted: true, lazy };
  }

  #atom(): Piece | undefined {
    const char = this.#next();
    switch (char) {
      case "(":
        return this.#group();
      case "[":
        return set(this.#class());
      case ".":
        return set(this.#flags.s ? allCharacters : noNewLine);
      case "^":
        return edge(this.#flags.m ? "lineStart" : "start");
      case "$":
        return edge(this.#flags.m ? "lineEnd" : "end");
      case "\\":
        return this.#escape();
      default:
        return this.#literal(char);
    }
  }

  #group(): Piece | undefined {
    const start = this.#at - 1;
    const before = this.#flags;
    if (this.#text[this.#at] === "?") {
      const name = /^\?P?<[\s\S]/.exec(this.#rest(4));
      if (name) this.#name(start);
      else if (!this.#setFlags(start)) return undefined;
    }
    const piece = this.#alternatives();
    if (this.#text[this.#at] !== ")") throw new RegexpError("missing closing )", this.#text);
    this.#at++;
    this.#flags = before;
    return piece;
  }

  #name(start: number): void {
    const open = this.#text.indexOf("<", this.#at);
    const close = this.#text.indexOf(">", open);
    if (close < 0) throw new RegexpError("invalid named capture", this.#text.slice(start));
    const name = this.#text.slice(open + 1, close);
    if (!/^\w+$/.test(name))
      throw new RegexpError("invalid named capture", this.#text.slice(start, close + 1));
    this.#at = close + 1;
  }

  /** Reads `?i-m:` or `?i)`; whether a group follows. */
  #setFlags(start: number): boolean {
    const found = /^\?([imsU]*)(?:(-)([imsU]+))?([:)])/.exec(this.#text.slice(this.#at));
    if (!found) {
      const read = /^\?[imsU]*-?[imsU]*/.exec(this.#text.slice(this.#at)) as RegExpExecArray;
      const end = this.#at + read[0].length;
      if (end >= this.#text.length) throw new RegexpError("missing closing )", this.#text);
      const [char = ""] = this.#text.slice(end);
      throw new RegexpError(
        "invalid or unsupported Perl syntax",
        this.#text.slice(start, end + char.length),
      );
    }
    this.#at += found[0].length;
    const flags: Record<Flag, boolean> = { ...this.#flags };
    for (const flag of found[1] ?? "") flags[flag as Flag] = true;
    for (const flag of found[3] ?? "") flags[flag as Flag] = false;
    this.#flags = flags;
    return found[4] === ":";
  }

  #escape(): Piece | undefined {
    const char = this.#text[this.#at];
    if (char === "A" || char === "z" || char === "b" || char === "B") {
      this.#at++;
      return edge(edges[char]);
    }
    if (char === "Q") {
      const end = this.#text.indexOf("\\E", this.#at);
      const quoted = this.#text.slice(this.#at + 1, end < 0 ? undefined : end);
      this.#at = end < 0 ? this.#text.length : end + 2;
      const pieces = [...quoted].map((each) => this.#literal(each));
      return joined(pieces, { kind: "all", of: pieces.map(({ node }) => node) });
    }
    const named = this.#namedSet();
    if (named !== undefined) return set({ parts: [named], isNegated: false });
    return this.#literal(String.fromCodePoint(this.#codePoint()));
  }

  /** `\d`, `\pL` and the like after a backslash. */
  #namedSet(): CharacterPart | undefined {
    const char = this.#text[this.#at] ?? "";
    const perl = perlSets[char.toLowerCase()];
    if (perl !== undefined) {
      this.#at++;
      return this.#part(perl, char < "a");
    }
    if (char !== "p" && char !== "P") return undefined;
    const start = this.#at - 1;
    this.#at++;
    const braced = this.#text[this.#at] === "{";
    const end = braced ? this.#text.indexOf("}", this.#at) + 1 : this.#at + 1;
    if (end <= this.#at || end > this.#text.length)
      throw new RegexpError("invalid character class range", this.#text.slice(start));
    let name = this.#text.slice(this.#at, end).replace(/[{}]/g, "");
    this.#at = end;
    let negated = char === "P";
    if (name.startsWith("^")) {
      negated = !negated;
      name = name.slice(1);
    }
    const content = unicodeSet(name);
    if (content === undefined)
      throw new RegexpError("invalid character class range", this.#text.slice(start, end));
    return this.#part(content, negated);
  }

  /** A part of a set, in which letters are of both cases where the flags say so. */
  #part(content: string, isNegated = false): CharacterPart {
    return { content, ignoresCase: this.#flags.i, isNegated };
  }

  /** The character that an escape stands for; the backslash has been read. */
  #codePoint(): number {
    const start = this.#at - 1;
    if (this.#at >= this.#text.length)
      throw new RegexpError("trailing backslash at end of expression", "");
    const rest = this.#rest(16);
    const numeric = /^(?:0[0-7]{0,2}|[1-7][0-7]{1,2}|x[0-9A-Fa-f]{2}|x\{[0-9A-Fa-f]+\})/.exec(rest);
    if (numeric) {
      const [text] = numeric;
      const code = text.startsWith("x")
        ? Number.parseInt(text.replace(/[x{}]/g, ""), 16)
        : Number.parseInt(text, 8);
      if (code <= 0x10ffff) {
        this.#at += text.length;
        return code;
      }
    }
    const char = this.#next();
    const control = controls[char];
    if (control !== undefined) return control;
    if (char < "\x80" && !/[0-9A-Za-z]/.test(char)) return char.charCodeAt(0);
    throw new RegexpError("invalid escape sequence", this.#text.slice(start, this.#at));
  }

  #class(): CharacterSet {
    const start = this.#at - 1;
    const missing = () => new RegexpError("missing closing ]", this.#text.slice(start));
    let negated = false;
    if (this.#text[this.#at] === "^") {
      negated = true;
      this.#at++;
    }
    const parts: CharacterPart[] = [];
    for (let first = true; first || this.#text[this.#at] !== "]"; first = false) {
      if (this.#at >= this.#text.length) throw missing();
      parts.push(this.#posixSet() ?? this.#range(missing));
    }
    this.#at++;
    return { parts: merged(parts), isNegated: negated };
  }

  #posixSet(): CharacterPart | undefined {
    const found = /^\[:(\^?)([\s\S]*?):\]/.exec(this.#text.slice(this.#at));
    if (!found) return undefined;
    const set = posixSets[found[2] ?? ""];
    if (set === undefined) throw new RegexpError("invalid character class range", found[0]);
    this.#at += found[0].length;
    return this.#part(set, found[1] === "^");
  }

  #range(missing: () => RegexpError): CharacterPart {
    const start = this.#at;
    if (this.#text[this.#at] === "\\") {
      this.#at++;
      const named = this.#namedSet();
      if (named !== undefined) return named;
      this.#at = start;
    }
    const low = this.#classChar(missing);
    let high = low;
    if (this.#text[this.#at] === "-" && (this.#text[this.#at + 1] ?? "]") !== "]") {
      this.#at++;
      high = this.#classChar(missing);
      if (high < low)
        throw new RegexpError("invalid character class range", this.#text.slice(start, this.#at));
    }
    return this.#part(low === high ? shown(low) : `${shown(low)}-${shown(high)}`);
  }

  #classChar(missing: () => RegexpError): number {
    if (this.#at >= this.#text.length) throw missing();
    const char = this.#next();
    return char === "\\" ? this.#codePoint() : (char.codePointAt(0) as number);
  }

  #literal(char: string): Piece {
    const part = this.#part(shown(char.codePointAt(0) as number));
    return set({ parts: [part], isNegated: false });
  }

  #next(): string {
    const [char = ""] = this.#text.slice(this.#at, this.#at + 2);
    this.#at += char.length;
    return char;
  }

  #rest(length: number): string {
    return this.#text.slice(this.#at, this.#at + length);
  }
}

interface Piece {
  readonly node: RegexpNode;
  /** How many copies counted repetitions in it make. */
  readonly weight: number;
  /** How many nodes it has when repetitions are written out. */
  readonly size: number;
}
/** How often; -1 is without end. */
interface Repeat {
  readonly min: number;
  readonly max: number;
  /** Written with numbers. */
  readonly counted: boolean;
  /** Followed by a question mark. */
  readonly lazy: boolean;
}

const newLine: CharacterPart = { content: "\\n", ignoresCase: false, isNegated: false };
const noNewLine: CharacterSet = { parts: [newLine], isNegated: true };
const allCharacters: CharacterSet = { parts: [], isNegated: true };

/** As few parts as there are kinds of them. */
function merged(parts: readonly CharacterPart[]): CharacterPart[] {
  const plain = [false, true].flatMap((ignoresCase) => {
    const same = parts.filter((part) => !part.isNegated && part.ignoresCase === ignoresCase);
    const content = same.map((part) => part.content).join("");
    return content === "" ? [] : [{ content, ignoresCase, isNegated: false }];
  });
  return [...plain, ...parts.filter((part) => part.isNegated)];
}

const set = (characters: CharacterSet): Piece => ({
  node: { kind: "set", ...characters },
  weight: 1,
  size: 1,
});
const edge = (at: (RegexpNode & { kind: "edge" })["at"]): Piece => ({
  node: { kind: "edge", at },
  weight: 1,
  size: 1,
});
const edges = { A: "start", z: "end", b: "word", B: "noWord" } as const;

const joined = (pieces: readonly Piece[], node: RegexpNode): Piece => ({
  node,
  weight: Math.max(1, ...pieces.map(({ weight }) => weight)),
  size: pieces.reduce((total, { size }) => total + size, 1),
});
