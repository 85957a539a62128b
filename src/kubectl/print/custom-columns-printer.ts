import type { Output } from "../../cli/command.ts";
import type { ReadonlyJsonMap } from "../../schema/json/json-value.ts";
import { goString } from "../../schema/values/go-print.ts";
import { JsonPathTemplate } from "./jsonpath/json-path-template.ts";
import { relaxedPath } from "./jsonpath/relaxed-path.ts";
import { itemsOf, type Printer, plainOf, WatchEvent } from "./printer.ts";
import { TabWriter } from "./tab-writer.ts";
import { terminalText } from "./terminal-text.ts";

export interface CustomColumn {
  readonly header: string;
  /** A path in braces. */
  readonly path: string;
}

/** Reads columns from `NAME:.metadata.name,AGE:.metadata.creationTimestamp`. */
export function columnsFromSpec(spec: string): readonly CustomColumn[] {
  if (spec === "") throw new Error("custom-columns format specified but no custom columns given");
  return spec.split(",").map((part) => {
    const colon = part.indexOf(":");
    if (colon < 0)
      throw new Error(
        `unexpected custom-columns spec: ${part}, expected <header>:<json-path-expr>`,
      );
    return { header: part.slice(0, colon), path: relaxedPath(part.slice(colon + 1)) };
  });
}

/** Reads columns from a file: a line of headers, and a line of as many paths. */
export function columnsFromFile(text: string): readonly CustomColumn[] {
  const lines = text.replace(/\n$/, "").split("\n");
  const format =
    "Expected format is one line of space separated headers, one line of space separated column specs.";
  if (text === "") throw new Error(`invalid template, missing header line. ${format}`);
  if (lines[1] === undefined) throw new Error(`invalid template, missing spec line. ${format}`);
  const [headers = [], paths = []] = lines.map((line) => line.split(/\s+/).filter(Boolean));
  if (headers.length !== paths.length)
    throw new Error(
      `number of headers (${headers.length}) and field specifications (${paths.length}) don't match`,
    );
  return headers.map((header, i) => ({ header, path: relaxedPath(paths[i] ?? "") }));
}

/** Prints a line of values for each object, below headers that come once. */
export class CustomColumnsPrinter implements Printer {
  readonly #columns: readonly CustomColumn[];
  readonly #noHeaders: boolean;
  #lastType: string | undefined;

  constructor(
    columns: readonly CustomColumn[],
    { noHeaders = false }: { readonly noHeaders?: boolean } = {},
  ) {
    this.#columns = columns;
    this.#noHeaders = noHeaders;
  }

  print(printed: ReadonlyJsonMap | WatchEvent, out: Output): void {
    if (out instanceof TabWriter) {
      this.#print(printed, out);
      return;
    }
    const writer = new TabWriter(out);
    try {
      this.#print(printed, writer);
    } finally {
      writer.flush();
    }
  }

  #print(printed: ReadonlyJsonMap | WatchEvent, out: Output): void {
    const items = printed instanceof WatchEvent ? undefined : itemsOf(printed);
    const type = printed instanceof WatchEvent ? "event" : items ? "list" : "object";
    if (!this.#noHeaders && type !== this.#lastType) {
      out.write(`${this.#columns.map(({ header }) => header).join("\t")}\n`);
      this.#lastType = type;
    }
    const paths = this.#columns.map(
      ({ path }) => new JsonPathTemplate(path, { allowMissingKeys: true }),
    );
    for (const object of items ?? [plainOf(printed)])
      out.write(`${paths.map((path) => cellText(path.find(object))).join("\t")}\n`);
  }
}

function cellText(results: readonly (readonly unknown[])[]): string {
  const texts = results.flat().map((value) => terminalText(goString(value)));
  const isNone = results.length === 0 || results[0]?.length === 0;
  return (isNone ? ["<none>", ...texts] : texts).join(",");
}
