import { changeCauseAnnotation } from "../shared/record.ts";
import type { Labels, MetadataChanges } from "./label-changes.ts";

/** Reads `key=value` and `key-`. */
export function parseAnnotationChanges(pairs: readonly string[]): MetadataChanges {
  const set = new Map<string, string>();
  const remove: string[] = [];
  for (const pair of pairs) {
    const equals = pair.indexOf("=");
    if (equals > 0) set.set(pair.slice(0, equals), pair.slice(equals + 1));
    else remove.push(pair.slice(0, -1));
  }
  return { set, remove };
}

/** Throws if the same annotation is set and removed. */
export function checkAnnotationChanges({ set, remove }: MetadataChanges): void {
  const both = remove.filter((key) => set.has(key));
  if (both.length > 0)
    throw new Error(
      `can not both modify and remove the following annotation(s) in the same command: ${both.join(", ")}`,
    );
}

/** Changes annotations; throws for those that exist with another value unless they may be overwritten. */
export function changeAnnotations(
  before: Labels,
  { set, remove }: MetadataChanges,
  overwrite: boolean,
): Labels {
  if (!overwrite) {
    const kept = [...set].flatMap(([key, value]) => {
      const current = before[key];
      const isFree = key === changeCauseAnnotation || current === undefined || current === value;
      return isFree ? [] : [`'${key}' already has a value (${current})`];
    });
    if (kept.length > 0)
      throw new Error(
        `--overwrite is false but found the following declared annotation(s): ${kept.join("; ")}`,
      );
  }
  const after: Record<string, string> = { ...before, ...Object.fromEntries(set) };
  for (const key of remove) delete after[key];
  return after;
}
