import { copyJson, type ReadonlyJsonMap } from "../json/json-value.ts";
import type { Shape } from "../language/shape.ts";
import {
  checkPreconditions,
  PatchConflictError,
  type Precondition,
} from "../patch/merge-patch-errors.ts";
import { haveConflicts } from "./conflicts.ts";
import { diffMap } from "./diff-map.ts";
import { mergeMap } from "./merge-map.ts";

/**
 * The strategic merge patch that leads from one document to another. Throws StrategicMergeError,
 * PatchPreconditionError.
 */
export function createTwoWayMergePatch(
  shape: Shape,
  original: ReadonlyJsonMap,
  modified: ReadonlyJsonMap,
  { preconditions = [] }: { readonly preconditions?: readonly Precondition[] } = {},
): ReadonlyJsonMap {
  const patch = diffMap(original, modified, { type: { shape }, setElementOrder: true });
  checkPreconditions(patch, preconditions);
  return patch;
}

export interface ThreeWay {
  /** What was last asked for. */
  readonly original: ReadonlyJsonMap;
  /** What is asked for now. */
  readonly modified: ReadonlyJsonMap;
  /** What there is. */
  readonly current: ReadonlyJsonMap;
  /** Whether changes that others made are overwritten; otherwise they are conflicts. */
  readonly overwrite: boolean;
  readonly preconditions?: readonly Precondition[];
}

/**
 * The strategic merge patch that makes what is asked for of what there is: it changes and adds as the
 * two differ, and deletes what was asked for and no longer is. Throws StrategicMergeError,
 * PatchConflictError, PatchPreconditionError.
 */
export function createThreeWayMergePatch(
  shape: Shape,
  { original, modified, current, overwrite, preconditions = [] }: ThreeWay,
): ReadonlyJsonMap {
  const type = { shape };
  const common = { type, setElementOrder: true };
  const changes = diffMap(current, modified, { ...common, ignoreDeletions: true });
  const deletions = diffMap(original, modified, { ...common, ignoreChanges: true });
  const patch = mergeMap(copyJson(deletions), copyJson(changes), { type, keepDirectives: true });
  checkPreconditions(patch, preconditions);
  if (!overwrite) {
    const meanwhile = copyJson(diffMap(original, current, { type }));
    if (haveConflicts(patch, meanwhile, type)) throw new PatchConflictError(patch, meanwhile);
  }
  return patch;
}
