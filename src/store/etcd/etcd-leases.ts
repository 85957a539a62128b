import type { Clock } from "../../base/clock.ts";
import type { Op } from "../store.ts";
import type { EtcdCluster } from "./etcd-cluster.ts";
import { readFault } from "./etcd-fault.ts";
import { etcdMethods } from "./etcd-methods.ts";

/** Gives leases to keys that expire. */
export interface EtcdLeases {
  /** The identity of a lease that lasts so long at least, for a number of keys. */
  leaseFor(ttlMs: number, keys: number): Promise<bigint>;
  /** Uses what was granted no more: etcd does not know it. */
  forget(): void;
}

export interface EtcdLeasesOptions {
  readonly cluster: Pick<EtcdCluster, "call">;
  readonly clock: Pick<Clock, "now">;
  /** How long a lease is shared at most; default 60. */
  readonly reuseSeconds?: number | undefined;
}

/** So many keys share one lease, and no more: they all go in one transaction. */
const mostKeys = 1000;

/**
 * Leases that keys of about the same end share, as granting them is dear: each is granted for a
 * twentieth longer than it was asked for, and taken by all who come in that time and ask for as much.
 */
export function etcdLeases({ cluster, clock, reuseSeconds = 60 }: EtcdLeasesOptions): EtcdLeases {
  let last: { id: Promise<bigint>; endsAt: number; keys: number } | undefined;
  const grant = async (seconds: number): Promise<bigint> => {
    const request = { TTL: seconds };
    return (await cluster.call(etcdMethods.leaseGrant, request, { isRepeatable: true })).ID;
  };
  return {
    leaseFor(ttlMs, keys) {
      const seconds = Math.ceil(ttlMs / 1000);
      const spare = Math.min(Math.floor(seconds * 0.05), reuseSeconds);
      const now = clock.now();
      const earliest = now + seconds * 1000;
      const latest = earliest + spare * 1000;
      if (last && earliest < last.endsAt && last.endsAt <= latest && last.keys + keys <= mostKeys) {
        last.keys += keys;
        return last.id;
      }
      const granted = { id: grant(seconds + spare), endsAt: latest, keys };
      granted.id.catch(() => {
        if (last === granted) last = undefined;
      });
      last = granted;
      return granted.id;
    },
    forget() {
      last = undefined;
    },
  };
}

/** The leases that a commit needs, by the time that they last. */
export async function leasesFor(
  ops: readonly Op[],
  leases: Pick<EtcdLeases, "leaseFor">,
): Promise<ReadonlyMap<number, bigint>> {
  const counts = new Map<number, number>();
  for (const op of ops) {
    if (op.type !== "put" || op.ttlMs === undefined) continue;
    counts.set(op.ttlMs, (counts.get(op.ttlMs) ?? 0) + 1);
  }
  const found = new Map<number, bigint>();
  for (const [ttlMs, count] of counts) {
    const lease = await leases.leaseFor(ttlMs, count).catch((error: unknown) => {
      // Nothing was committed so far, whatever became of the lease.
      throw readFault(error);
    });
    found.set(ttlMs, lease);
  }
  return found;
}
