import type { DynamicObject } from "../../../../client/resource-kind.ts";
import { isMap, type ReadonlyJsonMap } from "../../../../schema/json/json-value.ts";
import { goString, goType } from "../../../../schema/values/go-print.ts";
import type { PathCondition, StatusCondition } from "./wait-condition.ts";

/** Whether an object meets a condition now; throws where that can never be said. */
export const isMet = (
  condition: StatusCondition | PathCondition,
  object: DynamicObject,
): boolean =>
  condition.type === "path" ? pathIsMet(condition, object) : statusIsMet(condition, object);

function statusIsMet({ name, status }: StatusCondition, object: DynamicObject): boolean {
  for (const condition of conditionsOf(object)) {
    if (!isMap(condition)) continue;
    const { type, status: found } = condition;
    if (typeof type !== "string" || !isSameWord(type, name) || typeof found !== "string") continue;
    return !isOutdated(object, condition) && isSameWord(found, status);
  }
  return false;
}

/** Whether a condition was written before the last change of the object. */
function isOutdated(object: DynamicObject, condition: ReadonlyJsonMap): boolean {
  const { generation } = object.metadata as { readonly generation?: unknown };
  const { observedGeneration: ofObject } = (object.status ?? {}) as ReadonlyJsonMap;
  const { observedGeneration = ofObject } = condition;
  return (
    typeof generation === "number" &&
    typeof observedGeneration === "number" &&
    observedGeneration < generation
  );
}

function conditionsOf({ status }: DynamicObject): readonly unknown[] {
  if (status === undefined) return [];
  if (!isMap(status)) throw accessorError(status, "map[string]interface {}");
  const { conditions } = status;
  if (conditions === undefined) return [];
  if (!Array.isArray(conditions)) throw accessorError(conditions, "[]interface{}");
  return conditions;
}

const accessorError = (value: unknown, expected: string): Error =>
  new Error(
    `.status.conditions accessor error: ${goString(value)} is of the type ${goType(value)}, expected ${expected}`,
  );

/** Compares by simple case folding. */
const isSameWord = (a: string, b: string): boolean =>
  a.toLowerCase() === b.toLowerCase() || a.toUpperCase() === b.toUpperCase();

function pathIsMet({ template, value }: PathCondition, object: DynamicObject): boolean {
  const results = template.find(object);
  const [values = []] = results;
  if (values.length === 0) return false;
  if (results.length > 1) throw new Error("given jsonpath expression matches more than one list");
  if (values.length > 1) throw new Error("given jsonpath expression matches more than one value");
  if (value === "") return true;
  const [found] = values;
  if (typeof found === "object" && found !== null)
    throw new Error("jsonpath leads to a nested object or list which is not supported");
  return goString(found).trim() === value.trim();
}
