import type { DynamicObject } from "../../client/resource-kind.ts";
import { ErrorList } from "../program/command-error.ts";
import { type Info, isList } from "./info.ts";
import type { InfoMaker } from "./info-maker.ts";
import type { Visitor } from "./visitor.ts";

/** Replaces lists by their items, also lists in lists. */
export function flattenListVisitor(visitor: Visitor, maker: InfoMaker): Visitor {
  return {
    name: "FlattenListVisitor",
    visit: (fn) =>
      visitor.visit(async (info, error) => {
        if (error) throw error;
        const { object } = info;
        if (object === undefined || !isList(object)) return fn(info);
        const errors: Error[] = [];
        for (const item of itemsOf(object))
          try {
            const { source, resourceVersion } = info;
            const place = placeOfItem(info, object.items.indexOf(item));
            const from = { source, place, resourceVersion };
            await fn(await maker.ofItem(withKindOfList(item, object), from));
          } catch (error) {
            errors.push(error as Error);
          }
        // Stays a list with one error, which is printed differently from an error alone.
        if (errors.length > 0) throw new ErrorList(errors);
      }),
  };
}

/** Where an item stands in the manifest of a list; unknown for items of lists in it. */
const placeOfItem = ({ place }: Info, index: number): Info["place"] =>
  place && index >= 0 ? { ...place, path: [...place.path, "items", index] } : undefined;

/** All objects of a list that are no lists themselves: those of the outer list first. */
function itemsOf(list: DynamicObject): DynamicObject[] {
  const items: DynamicObject[] = [];
  const open: DynamicObject[] = [list];
  for (const object of open) {
    if (!isList(object)) items.push(object);
    else open.push(...object.items);
  }
  return items;
}

/** Items of a `PodList` need not say that they are pods. */
export function withKindOfList(
  item: DynamicObject,
  { kind, apiVersion }: DynamicObject,
): DynamicObject {
  if (item.kind || kind === "List") return item;
  return { ...item, apiVersion, kind: kind.replace(/List$/, "") };
}
