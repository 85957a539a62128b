/** A value of a TOML document. */
export type TomlValue = string | number | boolean | readonly TomlValue[] | TomlTable;
export type TomlTable = ReadonlyMap<string, TomlValue>;

/**
 * Reads the part of TOML that containerd's hosts.toml uses: tables, strings, booleans, integers, arrays and
 * inline tables. The order of keys is kept. Throws an error with the line.
 */
export function parseToml(text: string): TomlTable {
  return new TomlReader(text).document();
}

type Table = Map<string, TomlValue>;

class TomlReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text.replaceAll("\r\n", "\n");
  }

  document(): Table {
    const root: Table = new Map();
    let table = root;
    for (this.#skip(allSpace); this.#at < this.#text.length; this.#skip(allSpace)) {
      if (this.#has("[")) {
        table = this.#enter(root, this.#keys());
        this.#expect("]");
      } else this.#pair(table);
      this.#skip(lineSpace);
      if (this.#at < this.#text.length && !this.#has("\n"))
        throw this.#fault("expected a new line");
    }
    return root;
  }

  #pair(table: Table): void {
    const path = this.#keys();
    const last = path.pop() ?? "";
    this.#expect("=");
    this.#skip(lineSpace);
    const target = this.#enter(table, path);
    if (target.has(last)) throw this.#fault(`${last} is given twice`);
    target.set(last, this.#value());
  }

  #keys(): string[] {
    const keys: string[] = [];
    do {
      this.#skip(lineSpace);
      const bare = this.#match(/[\w-]+/y);
      keys.push(bare ?? this.#string() ?? this.#fail("expected a key"));
      this.#skip(lineSpace);
    } while (this.#has("."));
    return keys;
  }

  #value(): TomlValue {
    const text = this.#string();
    if (text !== undefined) return text;
    const word = this.#match(/true\b|false\b|[-+]?\d[\d_]*/y);
    if (word === "true" || word === "false") return word === "true";
    if (word !== undefined) return Number(word.replaceAll("_", ""));
    if (this.#has("[")) return this.#array();
    if (this.#has("{")) return this.#inlineTable();
    throw this.#fault("expected a value");
  }

  #array(): TomlValue[] {
    const values: TomlValue[] = [];
    for (this.#skip(allSpace); !this.#has("]"); this.#skip(allSpace)) {
      values.push(this.#value());
      this.#skip(allSpace);
      if (this.#has(",")) continue;
      this.#expect("]");
      break;
    }
    return values;
  }

  #inlineTable(): Table {
    const table: Table = new Map();
    for (this.#skip(lineSpace); !this.#has("}"); this.#skip(lineSpace)) {
      this.#pair(table);
      this.#skip(lineSpace);
      if (this.#has(",")) continue;
      this.#expect("}");
      break;
    }
    return table;
  }

  #string(): string | undefined {
    const literal = this.#match(/'[^'\n]*'/y);
    if (literal !== undefined) return literal.slice(1, -1);
    const basic = this.#match(/"(?:[^"\\\n]|\\["\\bfnrt]|\\u[0-9a-fA-F]{4})*"/y);
    return basic === undefined ? undefined : (JSON.parse(basic) as string);
  }

  #enter(from: Table, path: readonly string[]): Table {
    let table = from;
    for (const key of path) {
      const inner = table.get(key) ?? new Map<string, TomlValue>();
      if (!(inner instanceof Map)) throw this.#fault(`${key} is not a table`);
      table.set(key, inner);
      table = inner;
    }
    return table;
  }

  #skip(space: RegExp): void {
    this.#match(space);
  }

  #has(letter: string): boolean {
    if (this.#text[this.#at] !== letter) return false;
    this.#at++;
    return true;
  }

  #expect(letter: string): void {
    this.#skip(lineSpace);
    if (!this.#has(letter)) throw this.#fault(`expected ${letter}`);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    this.#at += found?.length ?? 0;
    return found;
  }

  #fail(reason: string): never {
    throw this.#fault(reason);
  }

  #fault(reason: string): Error {
    return new Error(`line ${this.#text.slice(0, this.#at).split("\n").length}: ${reason}`);
  }
}

/** Spaces, and a comment up to the end of the line. */
const lineSpace = /[ \t]*(?:#[^\n]*)?/y;
/** The same, over several lines. */
const allSpace = /(?:[ \t\n]|#[^\n]*)*/y;
