import type { Lease } from "./expiry.ts";
import type { Stamp } from "./keyspace.ts";
import type { Op, Store } from "./store.ts";

/** So many keys go in one commit. */
const most = 1000;

/** Deletes the keys whose lease has run out and that were not written since. */
export async function expireLeases(
  store: Pick<Store, "commit">,
  keyspace: { get(key: string): Stamp | undefined },
  leases: readonly Lease[],
): Promise<void> {
  for (let start = 0; start < leases.length; start += most) {
    const part = leases.slice(start, start + most);
    try {
      // A key that is written meanwhile fails the commit; the others are tried again without it.
      while (!(await store.commit(deletions(part, keyspace))).ok);
    } catch {
      // The store takes no more writes: its writers learn why, and the leases run out when it is
      // opened again.
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
