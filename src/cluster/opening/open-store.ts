import { join } from "node:path";
import type { Log } from "../../base/log.ts";
import type { Dial } from "../../platform/dial-socket.ts";
import { directoryBytes } from "../../platform/directory-bytes.ts";
import { realClock } from "../../platform/real-clock.ts";
import { startEtcdCompaction } from "../../store/etcd/etcd-compaction.ts";
import { followEtcdSize } from "../../store/etcd/etcd-size.ts";
import { type LmdbStore, openLmdbStore } from "../../store/lmdb/lmdb-store.ts";
import type { Store } from "../../store/store.ts";
import { openEtcd } from "./open-etcd.ts";

/** The etcd that stores a server's objects. */
export interface EtcdAccess {
  readonly servers: readonly string[];
  readonly prefix: string;
  /** PEM: the CA of the etcd servers, and our client certificate. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  /** Opens connections to them below TLS; directly if not given. */
  readonly dial?: Dial | undefined;
  readonly compactionIntervalMs: number;
  /** How often its size is queried. */
  readonly sizeIntervalMs: number;
  readonly leaseReuseSeconds: number;
}

export interface OpenStoreOptions {
  readonly etcd: EtcdAccess | undefined;
  /** The size limit of a store in the data directory; 0 for none. */
  readonly quotaBytes: number | undefined;
  readonly log: Log;
}

/** The store of a server, and the work on it beside serving. */
export interface OpenedStore {
  readonly store: Store;
  /** The same store, if it is in the data directory. */
  readonly own?: LmdbStore;
  /** Its size on disk in bytes. */
  readonly bytes: () => number;
  /** Whether other servers may share it; then only one of them compacts it. */
  readonly isShared: boolean;
  close(): Promise<void>;
}

/** Opens the store of a server: etcd if given, or else files in the data directory. */
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
      else log.info("store has free space again");
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
  const { servers: endpoints, prefix, tls, dial, leaseReuseSeconds } = etcd;
  const clock = realClock;
  const store = await openEtcd({ endpoints, prefix, tls, dial, leaseReuseSeconds, clock });
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
