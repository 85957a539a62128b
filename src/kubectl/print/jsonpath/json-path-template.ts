import { goString } from "../../../schema/values/go-print.ts";
import { jsonText } from "../json-text.ts";
import { PathExecution, PathFloat } from "./evaluate-path.ts";
import type { PathList } from "./json-path-node.ts";
import { parsePathTemplate } from "./json-path-parser.ts";

export interface PathOptions {
  /** Whether a missing member is nothing instead of an error. */
  readonly allowMissingKeys?: boolean;
  /** Whether results are written as lists in JSON. */
  readonly asJson?: boolean;
}

/** A template of JSON paths, as `-o jsonpath` takes it: text, and paths in braces. */
export class JsonPathTemplate {
  readonly #list: PathList;
  readonly #options: PathOptions;

  /** Throws a SyntaxError with kubectl's words. */
  constructor(text: string, options: PathOptions = {}) {
    this.#list = parsePathTemplate(text);
    this.#options = options;
  }

  /** The values that each part leads to; throws an Error with kubectl's words. */
  find(data: unknown): readonly (readonly unknown[])[] {
    const { allowMissingKeys = false } = this.#options;
    const results = new PathExecution(allowMissingKeys).find(this.#list.nodes, data);
    return results.map((values) =>
      values.map((value) => (value instanceof PathFloat ? value.value : value)),
    );
  }

  /** The text that the template makes of a value. */
  execute(data: unknown): string {
    const results = this.find(data);
    if (this.#options.asJson) return results.map((values) => `${jsonText(values, 4)}\n`).join("");
    return results.map((values) => values.map(printed).join(" ")).join("");
  }
}

function printed(value: unknown): string {
  if (value === null || value === undefined) return "null";
  return typeof value === "object" ? jsonText(value) : goString(value);
}
