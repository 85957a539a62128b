import { kinds } from "../../api/kinds.generated.ts";
import type { GroupResource } from "./build-encryption.ts";

/** The resource whose object is stored under a key; undefined for keys that hold no objects. */
export function resourceOfKey(key: string): GroupResource | undefined {
  const [, , first = "", second = "", third] = key.split("/");
  const declared = byPrefix.get(`${first}/${second}`) ?? byPrefix.get(first);
  if (declared) return declared;
  // Custom kinds, whose groups have a dot.
  return first.includes(".") && third !== undefined
    ? { group: first, resource: second }
    : undefined;
}

/** Kinds that are stored together count as the one of the core group. */
const byPrefix = new Map<string, GroupResource>();
for (const { storagePrefix, group, plural: resource, isStored } of kinds)
  if (isStored && (group === "" || !byPrefix.has(storagePrefix)))
    byPrefix.set(storagePrefix, { group, resource });
