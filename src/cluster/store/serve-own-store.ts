import { join } from "node:path";
import { aborted } from "../../base/on-abort.ts";
import { directoryBytes } from "../../platform/directory-bytes.ts";
import type { LmdbStoreOptions } from "../../store/lmdb/lmdb-store.ts";
import { stampDataDirectory } from "../opening/data-version.ts";
import { openLog } from "../opening/open-log.ts";
import { type EtcdListen, listenEtcd } from "../serving/etcd-listen.ts";
import { openOwnStore } from "./command-store.ts";

export interface ServeOwnStoreOptions {
  readonly dir: string;
  readonly listen: EtcdListen;
  /** The name of the flag for the address. */
  readonly flag: string;
  /** What to do if another process has the store open. */
  readonly advice: string;
  readonly store?: Pick<LmdbStoreOptions, "noSync" | "quotaBytes">;
  readonly signal: AbortSignal;
  readonly onReady: (url: string) => void;
}

/** Serves etcd's API on the store of a data directory until the signal. */
export async function serveOwnStore(options: ServeOwnStoreOptions): Promise<void> {
  const { dir, listen, flag, signal } = options;
  const store = await openOwnStore(dir, options.advice, options.store);
  try {
    await stampDataDirectory(dir);
    const log = openLog({ level: "warn", format: "" });
    const storeBytes = () => directoryBytes(join(dir, "store"));
    const served = await listenEtcd(listen, { store, storeBytes, log }, flag);
    try {
      options.onReady(served.url);
      await aborted(signal);
    } finally {
      await served.close();
    }
  } finally {
    await store.close();
  }
}
