import type { Output } from "../../cli/command.ts";
import { isMap, type ReadonlyJsonMap } from "../../schema/json/json-value.ts";
import { kindPrefix } from "./decorate-table.ts";
import { itemsOf, type Printer, requireKind, WatchEvent } from "./printer.ts";

/** Prints the kind and the name of objects, and what was done with them: `pod/web created`. */
export class NamePrinter implements Printer {
  readonly #operation: string;

  constructor(operation = "") {
    this.#operation = operation === "" ? "" : ` ${operation}`;
  }

  print(printed: ReadonlyJsonMap | WatchEvent, out: Output): void {
    const object = printed instanceof WatchEvent ? printed.object : printed;
    const items = itemsOf(object);
    if (items) {
      for (const item of items) this.print(item, out);
      return;
    }
    requireKind(object);
    const { name } = isMap(object.metadata) ? object.metadata : {};
    const shown = typeof name === "string" && name !== "" ? name : "<unknown>";
    out.write(`${kindPrefix(groupKindOf(object))}${shown}${this.#operation}\n`);
  }
}

function groupKindOf({ apiVersion, kind }: ReadonlyJsonMap): { kind: string; group: string } {
  if (typeof kind !== "string" || kind === "") return { kind: "<unknown>", group: "" };
  const [group = "", version] = typeof apiVersion === "string" ? apiVersion.split("/") : [];
  return { kind, group: version === undefined ? "" : group };
}
