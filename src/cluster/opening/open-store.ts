import { join } from "node:path";
import type { Log } from "../../base/log.ts";
import { directoryBytes } from "../../platform/directory-bytes.ts";
import { realClock } from "../../platform/real-clock.ts";
import { startEtcdCompaction } from "../../store/etcd/etcd-compaction.ts";
import { followEtcdSize } from "../../store/etcd/etcd-size.ts";
import { type LmdbStore, openLmdbStore } from "../../store/lmdb/lmdb-store.ts";
import type { Store } from "../../store/store.ts";
import { openEtcd } from "./open-etcd.ts";

/** The etcd that a server keeps its objects in. */
export interface EtcdAccess {
  readonly servers: readonly string[];
  readonly prefix: string;
  /** PEM: the authority of the servers, and what they know this one by. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  readonly compactionIntervalMs: number;
  /** How often its size is queried. */
  readonly sizeIntervalMs: number;
  readonly leaseReuseSeconds: number;
}

export interface OpenStoreOptions {
  readonly etcd: EtcdAccess | undefined;
  /** How large a store of our own may become; 0 for any size. */
  readonly quotaBytes: number | undefined;
  readonly log: Log;
}

/** Where a server keeps its objects, and what is done there beside serving. */
export interface OpenedStore {
  readonly store: Store;
  /** The same, where it is this process's own. */
  readonly own?: LmdbStore;
  /** How many bytes it takes on disk. */
  readonly bytes: () => number;
  /** Whether other servers may use it too, of which one forgets what is old. */
  readonly isShared: boolean;
  close(): Promise<void>;
}

/** Opens the store of a server: an etcd if one is given, else files in the data directory. */
export async function openStore(
  dir: string,
  { etcd, quotaBytes, log }: OpenStoreOptions,
): Promise<OpenedStore> {
  if (etcd) return openInEtcd(etcd, log);
  const path = join(dir, "store");
  const store = await openLmdbStore({
    path,
    clock: realClock,
    ...(quotaBytes !== undefined && { quotaBytes }),
    onFull: (full, reason) => {
      if (full) log.warn("store is full", { reason, flag: "--store-quota-bytes" });
      else log.info("store has room again");
    },
  });
  return {
    store,
    own: store,
    bytes: () => directoryBytes(path),
    isShared: false,
    close: () => store.close(),
  };
}

async function openInEtcd(etcd: EtcdAccess, log: Log): Promise<OpenedStore> {
  const { servers: endpoints, prefix, tls, leaseReuseSeconds } = etcd;
  const clock = realClock;
  const store = await openEtcd({ endpoints, prefix, tls, leaseReuseSeconds, clock });
  const { cluster } = store;
  const intervalMs = etcd.compactionIntervalMs;
  const compaction = startEtcdCompaction({ cluster, clock, log, intervalMs });
  const size = followEtcdSize({ cluster, clock, intervalMs: etcd.sizeIntervalMs });
  return {
    store,
    bytes: size.bytes,
    isShared: true,
    async close() {
      compaction.close();
      size.close();
      await store.close();
    },
  };
}
