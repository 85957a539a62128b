import type { Clock } from "../../base/clock.ts";
import type { Entry } from "../store.ts";
import type { EtcdCluster } from "./etcd-cluster.ts";
import { etcdMethods } from "./etcd-methods.ts";

export interface EtcdExpiryOptions {
  readonly cluster: Pick<EtcdCluster, "call">;
  readonly clock: Pick<Clock, "now">;
}

/** Knows the leases of entries, and when they expire. */
export interface EtcdExpiry {
  /** Records the lease of an entry; 0 for none. */
  note(entry: Entry, lease: bigint): void;
  /** The expiry time of a recorded entry, in milliseconds since the epoch; 0 for never. */
  expiresAt(entry: Entry): Promise<number>;
}

/** The number of cached leases; each is requested once. */
const maxLeases = 10_000;

/** Requests the remaining time of leases from etcd, in seconds. */
export function etcdExpiry({ cluster, clock }: EtcdExpiryOptions): EtcdExpiry {
  const leases = new WeakMap<Entry, bigint>();
  const endings = new Map<bigint, Promise<number>>();
  const ask = async (ID: bigint): Promise<number> => {
    const answer = await cluster.call(etcdMethods.leaseTimeToLive, { ID }, { isRepeatable: true });
    // An expired lease has a negative time to live, and its keys are deleted.
    return clock.now() + Math.max(answer.TTL, 0) * 1000;
  };
  return {
    note(entry, lease) {
      if (lease !== 0n) leases.set(entry, lease);
    },
    async expiresAt(entry) {
      const lease = leases.get(entry);
      if (lease === undefined) return 0;
      const known = endings.get(lease);
      if (known !== undefined) return known;
      if (endings.size === maxLeases) endings.clear();
      const ending = ask(lease);
      endings.set(lease, ending);
      ending.catch(() => endings.delete(lease));
      return ending;
    },
  };
}
