import { errorMessage } from "../../base/error-message.ts";
import type { Output } from "../../cli/command.ts";
import type { ReadonlyJsonMap } from "../../schema/json/json-value.ts";
import { goSyntax } from "../../schema/values/go-print.ts";
import { quote } from "../../schema/values/quote.ts";
import { JsonPathTemplate, type PathOptions } from "./jsonpath/json-path-template.ts";
import { type Printer, plainOf, type WatchEvent } from "./printer.ts";

/** Prints what a template of JSON paths makes of objects. */
export class JsonPathPrinter implements Printer {
  readonly #text: string;
  readonly #template: JsonPathTemplate;

  /** Throws a SyntaxError with kubectl's words. */
  constructor(text: string, options: PathOptions) {
    this.#text = text;
    this.#template = new JsonPathTemplate(text, options);
  }

  print(printed: ReadonlyJsonMap | WatchEvent, out: Output): void {
    const object = plainOf(printed);
    let text: string;
    try {
      text = this.#template.execute(object);
    } catch (error) {
      const details =
        `Error executing template: ${errorMessage(error)}. Printing more information for debugging the template:\n` +
        `\ttemplate was:\n\t\t${this.#text}\n` +
        `\tobject given to jsonpath engine was:\n\t\t${goSyntax(object)}\n\n`;
      throw new Error(`error executing jsonpath ${quote(this.#text)}: ${details}\n`);
    }
    out.write(text);
  }
}
