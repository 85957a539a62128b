import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { realClock } from "../../src/platform/real-clock.ts";
import { type EtcdStore, openEtcdStore } from "../../src/store/etcd/etcd-store.ts";
import { type LmdbStore, openLmdbStore } from "../../src/store/lmdb/lmdb-store.ts";
import type { Store } from "../../src/store/store.ts";
import { type EtcdServer, startEtcd } from "./store-etcd.ts";

/** Values as large as a small object. */
export const value: Uint8Array = new Uint8Array(1024).map((_, n) => n * 31);

/** A store on disk, and an etcd on the same disk to compare with. */
export interface StoreBench {
  readonly path: string;
  readonly lmdb: LmdbStore;
  readonly etcd: { readonly server: EtcdServer; readonly store: EtcdStore } | undefined;
}

/** Runs a part with new stores on the file system that the project is on. */
export async function withStores(part: (bench: StoreBench) => Promise<void>): Promise<void> {
  const root = mkdtempSync(join(process.cwd(), "node_modules", ".bench-store-"));
  const server = await startEtcd(join(root, "etcd"));
  if (!server) console.log("etcd is not installed (Debian: etcd-server): no ratios");
  try {
    const path = join(root, "lmdb");
    const lmdb = await openLmdbStore({ path, clock: realClock });
    const etcd = server && {
      server,
      store: await openEtcdStore({ endpoints: [`http://${server.address}`], clock: realClock }),
    };
    await part({ path, lmdb, etcd });
    await lmdb.close();
    await etcd?.store.close();
  } finally {
    await server?.stop();
    rmSync(root, { recursive: true, force: true });
  }
}

/** Puts keys into a store, so many in a commit and many commits at once. */
export async function fill(store: Store, keys: readonly string[], perCommit = 100): Promise<void> {
  const starts = keys.map((_, index) => index).filter((index) => index % perCommit === 0);
  const work = async (): Promise<void> => {
    for (let start = starts.shift(); start !== undefined; start = starts.shift()) {
      const part = keys.slice(start, start + perCommit);
      await store.commit(part.map((key) => ({ type: "put", key, value })));
    }
  };
  await Promise.all(Array.from({ length: 128 / Math.sqrt(perCommit) }, work));
}

export function podKeys(count: number): string[] {
  return Array.from({ length: count }, (_, n) => podKey(n));
}

export function podKey(n: number): string {
  return `/registry/pods/default/pod-${String(n).padStart(6, "0")}`;
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
