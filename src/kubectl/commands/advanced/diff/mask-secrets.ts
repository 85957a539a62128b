import type { DynamicObject } from "../../../../client/resource-kind.ts";
import { isMap, type ReadonlyJsonMap } from "../../../../schema/json/json-value.ts";

const masks = { same: "***", before: "*** (before)", after: "*** (after)" };

/** Two versions of a secret without its values; those that differ can still be told apart. */
export function maskSecrets(
  before: DynamicObject | undefined,
  after: DynamicObject,
): { readonly before: DynamicObject | null; readonly after: DynamicObject } {
  const from = dataOf(before);
  const to = dataOf(after);
  const masked = (
    data: ReadonlyJsonMap | undefined,
    other: ReadonlyJsonMap | undefined,
    changed: string,
  ): ReadonlyJsonMap | undefined =>
    data &&
    Object.fromEntries(
      Object.entries(data).map(([key, value]) => {
        const isChanged = other && Object.hasOwn(other, key) && other[key] !== value;
        return [key, isChanged ? changed : masks.same];
      }),
    );
  return {
    // A secret that does not exist is printed as null, as the original prints it.
    before: before ? withData(before, masked(from, to, masks.before)) : null,
    after: withData(after, masked(to, from, masks.after)),
  };
}

const dataOf = (object: DynamicObject | undefined): ReadonlyJsonMap | undefined =>
  isMap(object?.data) ? object.data : undefined;

const withData = (object: DynamicObject, data: ReadonlyJsonMap | undefined): DynamicObject =>
  data ? { ...object, data } : object;
