import type { Lease } from "./expiry.ts";
import type { Stamp } from "./keyspace.ts";
import type { Op, Store } from "./store.ts";

/** The maximum number of keys per commit. */
const maxKeys = 1000;

/** Deletes keys whose lease has expired and that were not written since. */
export async function expireLeases(
  store: Pick<Store, "commit">,
  keyspace: { get(key: string): Stamp | undefined },
  leases: readonly Lease[],
): Promise<void> {
  for (let start = 0; start < leases.length; start += maxKeys) {
    const part = leases.slice(start, start + maxKeys);
    try {
      // A key that is written meanwhile fails the commit; the others are retried without it.
      while (!(await store.commit(deletions(part, keyspace))).ok);
    } catch {
      // The store rejects writes; its writers get the reason, and the leases expire when it is opened
      // again.
      return;
    }
  }
}

function deletions(
  leases: readonly Lease[],
  keyspace: { get(key: string): Stamp | undefined },
): Op[] {
  return leases
    .filter(({ key, modRevision }) => keyspace.get(key)?.modRevision === modRevision)
    .map(({ key, modRevision }) => ({ type: "delete", key, ifRevision: modRevision }));
}
