import type { Output } from "../../cli/command.ts";
import type { ReadonlyJsonMap } from "../../schema/json/json-value.ts";
import { jsonText, orderedJsonText } from "./json-text.ts";
import { type Printer, requireKind, WatchEvent } from "./printer.ts";

/** Prints objects as indented JSON, and events in a line each. */
export class JsonPrinter implements Printer {
  readonly #text: (value: unknown, indent?: number) => string;

  /** With `keepsOrder`, members stay in the order that they have: that of Go's structs. */
  constructor({ keepsOrder = false }: { readonly keepsOrder?: boolean | undefined } = {}) {
    this.#text = keepsOrder ? orderedJsonText : jsonText;
  }

  print(object: ReadonlyJsonMap | WatchEvent, out: Output): void {
    if (object instanceof WatchEvent) {
      out.write(`{"type":${this.#text(object.type)},"object":${this.#text(object.object)}}\n`);
      return;
    }
    requireKind(object);
    out.write(`${this.#text(object, 4)}\n`);
  }
}
