import { isMap, type ReadonlyJsonMap, sameJson } from "../json/json-value.ts";
import { setMember } from "../json/strict-json.ts";

/**
 * Applies a JSON merge patch (RFC 7386) and returns the new document; neither is changed, and what
 * stays the same is shared. Throws a SyntaxError if the patch is neither object nor array.
 */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (Array.isArray(patch)) return pruned(patch);
  if (!isMap(patch)) throw new SyntaxError("Invalid JSON Patch");
  return isMap(document) ? merged(document, patch) : pruned(patch);
}

/** The merge patch that makes `modified` of `original`. */
export function createMergePatch(
  original: ReadonlyJsonMap,
  modified: ReadonlyJsonMap,
): ReadonlyJsonMap {
  const patch: Record<string, unknown> = {};
  for (const [name, after] of Object.entries(modified)) {
    const before = Object.hasOwn(original, name) ? original[name] : undefined;
    if (isMap(before) && isMap(after)) {
      const inner = createMergePatch(before, after);
      if (Object.keys(inner).length > 0) setMember(patch, name, inner);
    } else if (!sameJson(before, after)) {
      setMember(patch, name, after);
    }
  }
  for (const name of Object.keys(original)) {
    if (!Object.hasOwn(modified, name)) setMember(patch, name, null);
  }
  return patch;
}

function merged(document: ReadonlyJsonMap, patch: ReadonlyJsonMap): ReadonlyJsonMap {
  const result: Record<string, unknown> = { ...document };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) {
      delete result[name];
      continue;
    }
    const current = Object.hasOwn(result, name) ? result[name] : undefined;
    if (!isMap(current)) setMember(result, name, pruned(value));
    // An array that replaces an object keeps the nulls of objects in it, as upstream has it.
    else setMember(result, name, isMap(value) ? merged(current, value) : value);
  }
  return result;
}

/** The value without members that are null, at any depth; items that are null stay. */
function pruned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pruned);
  if (!isMap(value)) return value;
  const result: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (member !== null) setMember(result, name, pruned(member));
  }
  return result;
}
