import type { Output } from "../../cli/command.ts";
import type { ReadonlyJsonMap } from "../../schema/json/json-value.ts";
import { jsonText } from "./json-text.ts";
import { type Printer, requireKind, WatchEvent } from "./printer.ts";

/** Prints objects as indented JSON, and events in a line each. */
export class JsonPrinter implements Printer {
  print(object: ReadonlyJsonMap | WatchEvent, out: Output): void {
    if (object instanceof WatchEvent) {
      out.write(`{"type":${jsonText(object.type)},"object":${jsonText(object.object)}}\n`);
      return;
    }
    requireKind(object);
    out.write(`${jsonText(object, 4)}\n`);
  }
}
