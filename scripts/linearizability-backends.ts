import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../src/base/random.ts";
import { realClock } from "../src/platform/real-clock.ts";
import { openLmdbStore } from "../src/store/lmdb/lmdb-store.ts";
import { MemoryStore } from "../src/store/memory/memory-store.ts";
import type { Store } from "../src/store/store.ts";

/** What histories are recorded of. */
export interface Backend {
  /** All on the same data. */
  readonly stores: readonly Store[];
  /** Does harm until told that it has ended, and then puts all right again. */
  readonly disturb?: (random: Random, ended: () => boolean) => Promise<void>;
  close(): Promise<void>;
}

const backends = {
  memory: async (): Promise<Backend> => {
    const store = new MemoryStore(realClock);
    return { stores: [store], disturb: compactNowAndThen(store), close: () => store.close() };
  },
  lmdb: async (): Promise<Backend> => {
    const path = newDirectory();
    const store = await openLmdbStore({ path, clock: realClock });
    const close = async () => {
      await store.close();
      rmSync(path, { recursive: true });
    };
    return { stores: [store], disturb: compactNowAndThen(store), close };
  },
};

export type BackendName = keyof typeof backends;

export const backendNames = Object.keys(backends) as BackendName[];

export function isBackend(name: string): name is BackendName {
  return Object.hasOwn(backends, name);
}

export function openBackend(name: BackendName): Promise<Backend> {
  return backends[name]();
}

/** Compacts what was there when the round began, again and again a little more of it. */
function compactNowAndThen(store: Store) {
  let compacted = 1;
  return async (random: Random, ended: () => boolean): Promise<void> => {
    const last = await store.currentRevision();
    while (!ended()) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      const revision = compacted + Math.ceil(random.next() * (last - compacted));
      if (revision > compacted) await store.compact(revision);
      compacted = Math.max(compacted, revision);
    }
  };
}

/** On the file system that the project is on. */
export function newDirectory(): string {
  return mkdtempSync(join(process.cwd(), "node_modules", ".linearizability-"));
}
