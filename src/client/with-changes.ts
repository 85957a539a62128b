import { copyJson } from "../schema/json/json-value.ts";
import type { Draft } from "../schema/language/struct.ts";

/**
 * Returns a copy of an object with changes. Objects themselves are never modified: caches share them.
 */
export function withChanges<T>(object: T, change: (draft: Draft<T>) => void): T {
  const draft = copyJson(object);
  change(draft as Draft<T>);
  return draft;
}
