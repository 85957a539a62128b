import { copyJson, type JsonMap, type ReadonlyJsonMap } from "../json/json-value.ts";
import type { Shape } from "../language/shape.ts";
import { mergeMap } from "./merge-map.ts";

/**
 * Applies a strategic merge patch and returns the new document; neither is changed, and what stays
 * the same is shared. Throws StrategicMergeError.
 */
export function applyStrategicMergePatch(
  shape: Shape,
  document: ReadonlyJsonMap,
  patch: ReadonlyJsonMap,
): ReadonlyJsonMap {
  return consumeStrategicMergePatch(shape, document, copyJson(patch) as JsonMap);
}

/**
 * The same with a patch that is used up: what is left in it afterwards is what upstream shows of the
 * patch when the result is refused.
 */
export function consumeStrategicMergePatch(
  shape: Shape,
  document: ReadonlyJsonMap,
  patch: JsonMap,
): ReadonlyJsonMap {
  return mergeMap(document, patch, { type: { shape }, keepDirectives: false });
}
