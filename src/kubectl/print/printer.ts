import type { Output } from "../../cli/command.ts";
import type { ReadonlyJsonMap } from "../../schema/json/json-value.ts";

/** Prints objects one after the other; throws an Error with kubectl's words where it cannot. */
export interface Printer {
  print(object: ReadonlyJsonMap | WatchEvent, out: Output): void;
}

/** A change that a watch reports, printed with its type. */
export class WatchEvent {
  readonly type: string;
  readonly object: ReadonlyJsonMap;

  constructor(type: string, object: ReadonlyJsonMap) {
    this.type = type;
    this.object = object;
  }
}

/** Throws for an object that does not say what it is; printers of whole objects need that. */
export function requireKind(object: ReadonlyJsonMap): void {
  if ((object.apiVersion ?? "") === "" && (object.kind ?? "") === "")
    throw new Error(
      "missing apiVersion or kind; try GetObjectKind().SetGroupVersionKind() if you know the type",
    );
}

/** The objects in a list; undefined for what is no list. */
export function itemsOf(object: ReadonlyJsonMap): readonly ReadonlyJsonMap[] | undefined {
  return Array.isArray(object.items) ? (object.items as readonly ReadonlyJsonMap[]) : undefined;
}

/** What is printed of an object or an event by printers that know no events. */
export const plainOf = (object: ReadonlyJsonMap | WatchEvent): ReadonlyJsonMap =>
  object instanceof WatchEvent ? { type: object.type, object: object.object } : object;
