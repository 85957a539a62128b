import type { Output } from "../../cli/command.ts";
import { isMap, type ReadonlyJsonMap } from "../../schema/json/json-value.ts";
import { itemsOf, type Printer, WatchEvent } from "./printer.ts";

/** A printer of objects without the record of who owns their fields. Events are printed whole, as upstream does. */
export function omittingManagedFields(printer: Printer): Printer {
  return {
    print(object: ReadonlyJsonMap | WatchEvent, out: Output) {
      printer.print(object instanceof WatchEvent ? object : withoutManagedFields(object), out);
    },
  };
}

function withoutManagedFields(object: ReadonlyJsonMap): ReadonlyJsonMap {
  const items = itemsOf(object);
  if (items) return { ...object, items: items.map(withoutManagedFields) };
  if (!isMap(object.metadata) || !Object.hasOwn(object.metadata, "managedFields")) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
