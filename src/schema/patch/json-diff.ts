import { isMap, type JsonMap, sameJson } from "../json/json-value.ts";
import type { JsonPatchOperation } from "./json-patch.ts";

/**
 * Returns the JSON patch that makes one document of another. Items of lists are compared by their places, so that
 * the patch is correct, but not always the shortest.
 */
export function jsonDiff(before: unknown, after: unknown): JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  compare(before, after, { path: "", operations });
  return operations;
}

interface Place {
  /** The JSON pointer of the values that are compared. */
  readonly path: string;
  readonly operations: JsonPatchOperation[];
}

function compare(before: unknown, after: unknown, place: Place): void {
  if (isMap(before) && isMap(after)) compareMembers(before, after, place);
  else if (Array.isArray(before) && Array.isArray(after)) compareItems(before, after, place);
  else if (!sameJson(before, after))
    place.operations.push({ op: "replace", path: place.path, value: after });
}

/** A member that is undefined is absent, as JSON has it. */
function compareMembers(before: JsonMap, after: JsonMap, { path, operations }: Place): void {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const at = `${path}/${escaped(name)}`;
    const [was, is] = [before, after].map((map) =>
      Object.hasOwn(map, name) ? map[name] : undefined,
    );
    if (was === undefined && is === undefined) continue;
    if (was === undefined) operations.push({ op: "add", path: at, value: is });
    else if (is === undefined) operations.push({ op: "remove", path: at });
    else compare(was, is, { path: at, operations });
  }
}

function compareItems(before: unknown[], after: unknown[], { path, operations }: Place): void {
  const shared = Math.min(before.length, after.length);
  for (let i = 0; i < shared; i++)
    compare(before[i], after[i], { path: `${path}/${i}`, operations });
  // From the end, so that the places of the others stay the same.
  for (let i = before.length - 1; i >= shared; i--)
    operations.push({ op: "remove", path: `${path}/${i}` });
  for (const value of after.slice(shared)) operations.push({ op: "add", path: `${path}/-`, value });
}

const escaped = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");
