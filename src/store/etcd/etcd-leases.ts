import type { Clock } from "../../base/clock.ts";
import type { Op } from "../store.ts";
import type { EtcdCluster } from "./etcd-cluster.ts";
import { readFault } from "./etcd-fault.ts";
import { etcdMethods } from "./etcd-methods.ts";

/** Grants leases for keys that expire. */
export interface EtcdLeases {
  /** Returns the id of a lease of at least this duration, for a number of keys. */
  leaseFor(ttlMs: number, keys: number): Promise<bigint>;
  /** Drops cached leases: etcd does not know them. */
  forget(): void;
}

export interface EtcdLeasesOptions {
  readonly cluster: Pick<EtcdCluster, "call">;
  readonly clock: Pick<Clock, "now">;
  /** The longest time that a lease is shared, in seconds. Default: 60. */
  readonly reuseSeconds?: number | undefined;
}

/** The maximum number of keys per lease: all are deleted in one transaction. */
const maxKeys = 1000;

/**
 * Shares leases between keys that expire at about the same time, because granting one is expensive: each
 * lasts five percent longer than requested, and is reused for similar requests in that time.
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
      if (last && earliest < last.endsAt && last.endsAt <= latest && last.keys + keys <= maxKeys) {
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

/** Grants the leases of a commit, by duration. */
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
      // Nothing was committed yet, whatever happened to the lease.
      throw readFault(error);
    });
    found.set(ttlMs, lease);
  }
  return found;
}
