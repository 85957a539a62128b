import type { Clock } from "../../base/clock.ts";
import type { Entry } from "../store.ts";
import type { EtcdCluster } from "./etcd-cluster.ts";
import { etcdMethods } from "./etcd-methods.ts";

export interface EtcdExpiryOptions {
  readonly cluster: Pick<EtcdCluster, "call">;
  readonly clock: Pick<Clock, "now">;
}

/** Knows by which leases entries end, and when that is. */
export interface EtcdExpiry {
  /** Notes the lease that an entry came with; 0 for none. */
  note(entry: Entry, lease: bigint): void;
  /** When an entry that was noted ends, in milliseconds since the epoch; 0 for never. */
  expiresAt(entry: Entry): Promise<number>;
}

/** So many leases are remembered, which are asked for once. */
const mostLeases = 10_000;

/** Asks etcd for the time that leases have left, to the second. */
export function etcdExpiry({ cluster, clock }: EtcdExpiryOptions): EtcdExpiry {
  const leases = new WeakMap<Entry, bigint>();
  const endings = new Map<bigint, Promise<number>>();
  const ask = async (ID: bigint): Promise<number> => {
    const answer = await cluster.call(etcdMethods.leaseTimeToLive, { ID }, { isRepeatable: true });
    // One that is no more has less than nothing left, and its keys have ended.
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
      if (endings.size === mostLeases) endings.clear();
      const ending = ask(lease);
      endings.set(lease, ending);
      ending.catch(() => endings.delete(lease));
      return ending;
    },
  };
}
