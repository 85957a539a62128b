import type { Output } from "../../cli/command.ts";
import type { ReadonlyJsonMap } from "../../schema/json/json-value.ts";
import { writeYaml } from "../../schema/yaml/yaml-write.ts";
import { jsonText } from "./json-text.ts";
import { type Printer, plainOf, requireKind, WatchEvent } from "./printer.ts";
import { requireYamlCharacters } from "./yaml-characters.ts";

/** Prints objects as YAML, separated by `---`. */
export class YamlPrinter implements Printer {
  #count = 0;

  print(object: ReadonlyJsonMap | WatchEvent, out: Output): void {
    if (this.#count++ > 0) out.write("---\n");
    if (!(object instanceof WatchEvent)) requireKind(object);
    const plain = plainOf(object);
    requireYamlCharacters(jsonText(plain));
    out.write(writeYaml(plain));
  }
}
