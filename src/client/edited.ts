import { copyJson } from "../schema/json/json-value.ts";
import type { Draft } from "../schema/language/struct.ts";

/** A copy of an object with changes: objects are never changed themselves, they are shared. */
export function edited<T>(object: T, change: (draft: Draft<T>) => void): T {
  const draft = copyJson(object);
  change(draft as Draft<T>);
  return draft;
}
