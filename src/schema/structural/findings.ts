import type { At } from "../language/report.ts";
import { quote } from "../values/quote.ts";

/** What a value breaks of its schema, each text once, and how many checks hold. */
export class Findings {
  readonly #found = new Map<string, (at: At) => void>();
  holding = 0;

  get isValid(): boolean {
    return this.#found.size === 0;
  }

  /** Takes in what was found of a part. */
  merge(other: Findings): this {
    for (const [text, report] of other.#found) this.#add(text, report);
    this.holding += other.holding;
    return this;
  }
  /** One more check holds. */
  held(): this {
    this.holding++;
    return this;
  }

  /** The same without what is wrong: it was so before. */
  forgiven(): Findings {
    const forgiven = new Findings();
    forgiven.holding = this.holding;
    return forgiven;
  }

  report(at: At): void {
    for (const report of this.#found.values()) report(at);
  }

  invalid(path: string, value: unknown, detail: string): void {
    this.fault(path, value, `${path} in body ${detail}`);
  }
  /** The same with words of its own. */
  fault(path: string, value: unknown, text: string): void {
    this.#add(text, (at) => at.invalid(fieldOf(at, path), value, text));
  }
  wrongType(path: string, type: string, actual: string): void {
    const text = `${path} in body must be of type ${type}: ${quote(actual)}`;
    this.#add(text, (at) => at.typeInvalid(fieldOf(at, path), actual, text));
  }
  required(path: string): void {
    this.#add(`${path} in body is required`, (at) => at.required(fieldOf(at, path)));
  }
  tooLong(path: string, max: number): void {
    const text = `${path} in body should be at most ${max} chars long`;
    this.#add(text, (at) => at.tooLong(fieldOf(at, path), max));
  }
  tooMany(
    path: string,
    { actual, max, of }: { readonly actual: number; readonly max: number; readonly of: string },
  ): void {
    const text = `${path} in body should have at most ${max} ${of}`;
    this.#add(text, (at) => at.tooMany(fieldOf(at, path), actual, max));
  }
  notOneOf(path: string, value: unknown, allowed: readonly unknown[]): void {
    const shown = allowed.map((each) => (typeof each === "string" ? each : JSON.stringify(each)));
    const text = `${path} in body should be one of [${shown.join(" ")}]`;
    this.#add(text, (at) => at.notSupported(fieldOf(at, path), value, shown));
  }
  /** A member that has no place in an object. */
  unwanted(path: string, name: string): void {
    const text = `${path}.${name} in body is a forbidden property`;
    this.#add(text, (at) => at.invalid(fieldOf(at, path), name, text));
  }
  /** What is wrong with the schema itself, or with its parts together: it names no field. */
  composite(text: string): void {
    this.#add(text, (at) => at.invalid(fieldOf(at, ""), "", text));
  }

  #add(text: string, report: (at: At) => void): void {
    if (!this.#found.has(text)) this.#found.set(text, report);
  }
}

/** The root of an object has no path, which upstream shows so. An item of a root that is a list counts as a member. */
function fieldOf(at: At, path: string): string {
  if (path.startsWith("[") && at.path !== "") return `.${path}`;
  return (path.startsWith(".") ? path.slice(1) : path) || (at.path === "" ? "<nil>" : "");
}
