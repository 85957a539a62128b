import type { Output } from "../../cli/command.ts";
import type { ReadonlyJsonMap } from "../../schema/json/json-value.ts";
import { itemsOf, type Printer, WatchEvent } from "./printer.ts";
import { sortObjects, sortRows } from "./sort-objects.ts";
import { asTable } from "./table.ts";

/** A printer that sorts lists and tables by a path before they are printed. */
export function sortingPrinter(printer: Printer, path: string): Printer {
  return {
    print(object: ReadonlyJsonMap | WatchEvent, out: Output) {
      printer.print(object instanceof WatchEvent ? object : sorted(object, path), out);
    },
  };
}

function sorted(object: ReadonlyJsonMap, path: string): ReadonlyJsonMap {
  const table = asTable(object);
  if (table) return { ...object, rows: sortRows(table.rows, path) };
  const items = itemsOf(object);
  return items ? { ...object, items: sortObjects(items, path) } : object;
}
