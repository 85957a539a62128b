import { RuntimeError } from "./runtime-service.ts";

/** Finds an ID by itself or by a prefix that no other ID has; undefined if there is none. */
export function findId(ids: ReadonlyMap<string, unknown>, wanted: string): string | undefined {
  if (ids.has(wanted)) return wanted;
  if (wanted === "") return undefined;
  let found: string | undefined;
  for (const id of ids.keys()) {
    if (!id.startsWith(wanted)) continue;
    if (found !== undefined)
      throw new RuntimeError("Unknown", `multiple IDs found with provided prefix: ${wanted}`);
    found = id;
  }
  return found;
}
