import { errorMessage } from "../../base/error-message.ts";
import type { Output } from "../../cli/command.ts";
import type { ReadonlyJsonMap } from "../../schema/json/json-value.ts";
import { jsonText } from "./json-text.ts";
import { kyamlText } from "./kyaml-text.ts";
import { type Printer, plainOf, requireKind, WatchEvent } from "./printer.ts";
import { requireYamlCharacters } from "./yaml-characters.ts";

/** Prints objects as KYAML, each behind `---`: YAML with brackets and quotes, and without aliases. */
export class KyamlPrinter implements Printer {
  print(object: ReadonlyJsonMap | WatchEvent, out: Output): void {
    if (!(object instanceof WatchEvent)) requireKind(object);
    const plain = plainOf(object);
    try {
      requireYamlCharacters(jsonText(plain));
    } catch (error) {
      throw new Error(`error decoding: ${errorMessage(error)}`, { cause: error });
    }
    const order = object instanceof WatchEvent ? ["type", "object"] : undefined;
    out.write(`---\n${kyamlText(plain, order)}\n`);
  }
}
