import { join } from "node:path";
import { realClock } from "../../../platform/real-clock.ts";
import { isEncrypted } from "../../../store/encryption/transformer.ts";
import { openLmdbStore } from "../../../store/lmdb/lmdb-store.ts";
import type { Store } from "../../../store/store.ts";
import { etcdTls } from "../../opening/etcd-tls.ts";
import { openEtcd } from "../../opening/open-etcd.ts";
import { everyEntry } from "../../store/every-entry.ts";

/** How the secrets of a cluster are stored. */
export interface StoredSecrets {
  readonly count: number;
  /** The keys of those that are not encrypted. */
  readonly plain: readonly string[];
}

/** Where the store is: in the etcd of the API server's flags, or in the data directory. */
export interface StorePlace {
  readonly flags: Readonly<Record<string, string>> | undefined;
  readonly dataDir: string | undefined;
}

/** Looks at the stored values themselves; undefined if the store cannot be read from here. */
export async function readStoredSecrets(place: StorePlace): Promise<StoredSecrets | undefined> {
  const store = await openReadable(place).catch(() => undefined);
  if (!store) return undefined;
  try {
    const plain: string[] = [];
    let count = 0;
    for await (const { key, value } of everyEntry(store, "/registry/secrets/")) {
      count++;
      if (!isEncrypted(value)) plain.push(key);
    }
    return { count, plain };
  } finally {
    await store.close();
  }
}

/** The servers of a flag's text, such as `[http://a:2379,http://b:2379]`. */
export const etcdServersOf = (flags: StorePlace["flags"]): readonly string[] =>
  (flags?.["etcd-servers"] ?? "")
    .replaceAll(/^\[|\]$/g, "")
    .split(",")
    .filter(Boolean);

async function openReadable({ flags = {}, dataDir }: StorePlace): Promise<Store | undefined> {
  const endpoints = etcdServersOf(flags);
  const clock = realClock;
  if (endpoints.length > 0) {
    const { "etcd-cafile": ca = "", "etcd-certfile": cert = "", "etcd-keyfile": key = "" } = flags;
    const tls = await etcdTls({ "etcd-cafile": ca, "etcd-certfile": cert, "etcd-keyfile": key });
    const prefix = flags["etcd-prefix"] ?? "/registry";
    return openEtcd({ endpoints, prefix, tls, clock, dialMs: 5000 });
  }
  return dataDir === undefined
    ? undefined
    : openLmdbStore({ path: join(dataDir, "store"), clock, readOnly: true });
}
