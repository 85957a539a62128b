/** What is wrong with a JSONPath template, in the words of upstream's parser; undefined: nothing. */
export function checkJsonPath(template: string): string | undefined {
  try {
    new PathReader(template).text();
    return undefined;
  } catch (error) {
    if (error instanceof PathFault) return error.message;
    throw error;
  }
}

class PathFault extends Error {}

const terminator = /[ \t\r\n.,[\]$@{}]/;

/** Reads a template from left to right, and keeps nothing of it but where it is. */
class PathReader {
  readonly #chars: readonly string[];
  #at = 0;
  #afterRecursion = false;

  constructor(template: string) {
    this.#chars = [...template];
  }

  text(): void {
    while (this.#at < this.#chars.length) {
      if (this.#next() === "{") this.#action();
    }
  }

  #next(): string | undefined {
    return this.#chars[this.#at++];
  }
  #peek(ahead = 0): string | undefined {
    return this.#chars[this.#at + ahead];
  }

  #action(): void {
    this.#afterRecursion = false;
    while (this.#peek() !== "}") this.#step();
    this.#at++;
  }

  #step(): void {
    const char = this.#next();
    const recursive = char === "." && this.#peek() === ".";
    if (recursive && this.#afterRecursion)
      throw new PathFault("invalid multiple recursive descent");
    // What stands for the object itself, and spaces, are nothing of their own.
    if (char !== " " && char !== "@" && char !== "$") this.#afterRecursion = false;
    if (char === undefined || char === "\r" || char === "\n")
      throw new PathFault("unclosed action");
    else if (recursive) this.#recursive();
    else if (char === ".") this.#field();
    else if (char === "[") this.#bracket();
    else if (char === '"' || char === "'") this.#quoted(char);
    else if (/[+\-\p{Nd}]/u.test(char)) this.#number(char);
    else if (/[_\p{L}]/u.test(char)) this.#identifier();
    else if (char !== " " && char !== "@" && char !== "$")
      throw new PathFault(`unrecognized character in action: ${unicodeName(char)}`);
  }

  #recursive(): void {
    this.#at++;
    this.#afterRecursion = true;
    if (/[_\p{L}\p{Nd}]/u.test(this.#peek() ?? "")) {
      this.#afterRecursion = false;
      this.#field();
    }
  }

  #field(): void {
    for (let char = this.#peek(); char !== undefined; char = this.#peek()) {
      if (char === "\\") this.#at++;
      else if (terminator.test(char)) return;
      this.#at++;
    }
  }

  #identifier(): void {
    while (this.#peek() !== undefined && !terminator.test(this.#peek() ?? "")) this.#at++;
  }

  #number(first: string): void {
    let number = first;
    while (/[.\p{Nd}]/u.test(this.#peek() ?? "")) number += this.#next();
    if (!/^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)$/.test(number))
      throw new PathFault(`cannot parse number ${number}`);
  }

  #bracket(): void {
    if (this.#peek() === "?" && this.#peek(1) === "(") {
      this.#at += 2;
      this.#filter();
      return;
    }
    let inside = "";
    for (let char = this.#next(); char !== "]"; char = this.#next()) {
      if (char === undefined || char === "\n") throw new PathFault("unterminated array");
      inside += char;
    }
    checkIndex(inside === "*" ? ":" : inside);
  }

  #filter(): void {
    let quote: string | undefined;
    let closed = false;
    let inside = "";
    for (;;) {
      const char = this.#next();
      if (char === undefined || char === "\n") throw new PathFault("unterminated filter");
      if (char === ")" && (quote === undefined) === !closed) break;
      if ((char === '"' || char === "'") && quote === undefined) quote = char;
      else if (char === quote && !inside.endsWith("\\")) closed = true;
      inside += char;
    }
    if (this.#next() !== "]") throw new PathFault("unclosed array expect ]");
    const compared = /^([^!<>=]+)[!<>=]+(.+?)$/.exec(inside);
    for (const part of compared ? [compared[1], compared[2]] : [inside])
      new PathReader(`{${part}}`).text();
  }

  #quoted(quote: string): void {
    let text = quote;
    for (;;) {
      const char = this.#next();
      if (char === undefined || char === "\n") throw new PathFault("unterminated quoted string");
      const escaped = text.endsWith("\\");
      text += char;
      if (char === quote && !escaped) break;
    }
    if (!isUnquotable(text.slice(1, -1), quote))
      throw new PathFault(`unquote string ${text} error invalid syntax`);
  }
}

function checkIndex(index: string): void {
  const parts = index.split(",");
  if (parts.length > 1) {
    for (const part of parts) new PathReader(`{[${part.replace(/^ +| +$/g, "")}]}`).text();
    return;
  }
  const key = /^'([^']*)'$/.exec(index);
  if (key) {
    new PathReader(`{.${key[1]}}`).text();
    return;
  }
  const slice = /^(-?[0-9]*)(?::(-?[0-9]*))?(?::(-?[0-9]*))?$/.exec(index);
  if (!slice) throw new PathFault(`invalid array index ${index}`);
  for (const part of slice.slice(1))
    if (part === "-") throw new PathFault(`array index ${part} is not a number`);
}

const isUnquotable = (text: string, quote: string): boolean => {
  const escaped = `\\\\(?:[abfnrtv\\\\${quote}]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{3})`;
  return new RegExp(`^(?:[^\\\\${quote}\\n]|${escaped})*$`, "u").test(text);
};

/** `U+0023 '#'`; characters that cannot be printed have only their number. */
function unicodeName(char: string): string {
  const number = `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  return /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(char) ? `${number} '${char}'` : number;
}
