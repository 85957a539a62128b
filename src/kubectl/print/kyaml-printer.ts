import { errorMessage } from "../../base/error-message.ts";
import type { Output } from "../../cli/command.ts";
import type { ReadonlyJsonMap } from "../../schema/json/json-value.ts";
import { sortedKeys } from "../../schema/values/utf8-order.ts";
import { jsonText, structKeys } from "./json-text.ts";
import { kyamlText } from "./kyaml-text.ts";
import { type Printer, plainOf, requireKind, WatchEvent } from "./printer.ts";
import { requireYamlCharacters } from "./yaml-characters.ts";

/** Prints objects as KYAML, each behind `---`: YAML with brackets and quotes, and without aliases. */
export class KyamlPrinter implements Printer {
  readonly #keys: (map: object) => readonly string[];

  /** With `keepsOrder`, members stay in the order that they have: that of Go's structs. */
  constructor({ keepsOrder = false }: { readonly keepsOrder?: boolean | undefined } = {}) {
    this.#keys = keepsOrder ? structKeys : sortedKeys;
  }

  print(object: ReadonlyJsonMap | WatchEvent, out: Output): void {
    if (!(object instanceof WatchEvent)) requireKind(object);
    const plain = plainOf(object);
    try {
      requireYamlCharacters(jsonText(plain));
    } catch (error) {
      throw new Error(`error decoding: ${errorMessage(error)}`, { cause: error });
    }
    const isEvent = object instanceof WatchEvent;
    const keys = (map: object): readonly string[] =>
      isEvent && map === plain ? ["type", "object"] : this.#keys(map);
    out.write(`---\n${kyamlText(plain, keys)}\n`);
  }
}
