import { isMap, type ReadonlyJsonMap } from "../json/json-value.ts";
import { setMember } from "../json/strict-json.ts";
import { applyMergePatch, createMergePatch } from "./merge-patch.ts";
import { checkPreconditions, type Precondition } from "./merge-patch-errors.ts";

/**
 * The JSON merge patch that makes what is asked for now of what there is: it changes and adds as the
 * two differ, and deletes what was asked for and no longer is. Throws PatchPreconditionError.
 */
export function createThreeWayJsonMergePatch(
  {
    original,
    modified,
    current,
  }: {
    readonly original: ReadonlyJsonMap;
    readonly modified: ReadonlyJsonMap;
    readonly current: ReadonlyJsonMap;
  },
  preconditions: readonly Precondition[] = [],
): ReadonlyJsonMap {
  const changes = filtered(createMergePatch(current, modified), false);
  const deletions = filtered(createMergePatch(original, modified), true);
  // They cannot contradict each other: what is deleted is not in what is asked for.
  const patch = applyMergePatch(deletions, changes) as ReadonlyJsonMap;
  checkPreconditions(patch, preconditions);
  return patch;
}

/** A merge patch with its nulls only, or without them. A map that is empty is a value. */
function filtered(patch: ReadonlyJsonMap, nulls: boolean): ReadonlyJsonMap {
  const out: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) {
      if (nulls) setMember(out, name, null);
    } else if (isMap(value) && Object.keys(value).length > 0) {
      const inner = filtered(value, nulls);
      if (Object.keys(inner).length > 0) setMember(out, name, inner);
    } else if (!nulls) setMember(out, name, value);
  }
  return out;
}
