import { errorMessage } from "../../base/error-message.ts";
import type { Output } from "../../cli/command.ts";
import type { ReadonlyJsonMap } from "../../schema/json/json-value.ts";
import { goString } from "../../schema/values/go-print.ts";
import { quote } from "../../schema/values/quote.ts";
import { jsonText } from "./json-text.ts";
import { type Printer, plainOf, WatchEvent } from "./printer.ts";
import { executeTemplate, type TemplateProgram } from "./template/execute-template.ts";
import { parseTemplate } from "./template/template-parser.ts";

/** Prints what a template in Go's syntax makes of objects. */
export class TemplatePrinter implements Printer {
  readonly #program: TemplateProgram;

  /** Throws a TemplateSyntaxError. */
  constructor(text: string, { allowMissingKeys }: { readonly allowMissingKeys: boolean }) {
    const name = "output";
    const definitions = parseTemplate(name, text);
    this.#program = { name, text, definitions, strict: !allowMissingKeys };
  }

  /** Before it throws, it prints what helps to find the fault. */
  print(printed: ReadonlyJsonMap | WatchEvent, out: Output): void {
    const object = plainOf(printed);
    try {
      executeTemplate(this.#program, object, (text) => out.write(text));
    } catch (error) {
      const message = errorMessage(error);
      const { text } = this.#program;
      const json =
        printed instanceof WatchEvent
          ? `{"type":${jsonText(printed.type)},"object":${jsonText(printed.object)}}`
          : jsonText(object);
      out.write(
        `Error executing template: ${message}. Printing more information for debugging the template:\n` +
          `\ttemplate was:\n\t\t${text}\n\traw data was:\n\t\t${json}\n` +
          `\tobject given to template engine was:\n\t\t${goString(object)}\n\n`,
      );
      throw new Error(`error executing template ${quote(text)}: ${message}`, { cause: error });
    }
  }
}
