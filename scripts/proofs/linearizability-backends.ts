import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../../src/base/random.ts";
import { realClock } from "../../src/platform/real-clock.ts";
import { startEtcdServers } from "../../src/store/etcd/etcd-server.test-support.ts";
import { openEtcdStore } from "../../src/store/etcd/etcd-store.ts";
import type { HistorySource } from "../../src/store/linearizability/record-sources.ts";
import { storeSource } from "../../src/store/linearizability/store-source.ts";
import { openLmdbStore } from "../../src/store/lmdb/lmdb-store.ts";
import { MemoryStore } from "../../src/store/memory/memory-store.ts";
import { type Store, StoreError } from "../../src/store/store.ts";
import { type Harm, harmMembers } from "./etcd-nemesis.ts";
import { openApiservers } from "./linearizability-apiservers.ts";

/** What histories are recorded of. */
export interface Backend {
  /** Makes room for a round of that name: ways to the same data, and keys that nobody had. */
  prepare(name: string): Promise<Prepared>;
  /** Waits after an answer. */
  readonly pause?: () => Promise<void>;
  /** Whether it takes writes without a condition; it does unless told otherwise. */
  readonly blind?: boolean;
  /** Does harm until told that it has ended, and then puts all right again. */
  readonly disturb?: (disturbance: Disturbance) => Promise<void>;
  close(): Promise<void>;
}

export interface Disturbance {
  readonly random: Random;
  readonly ended: () => boolean;
  /** The revision that the round's history begins after. */
  readonly begun: Promise<number>;
}

interface Prepared {
  readonly sources: readonly HistorySource[];
  readonly keys: readonly string[];
}

const backends = {
  memory: async (): Promise<Backend> => {
    const store = new MemoryStore(realClock);
    return {
      prepare: prepareStores([store]),
      disturb: compactNowAndThen(store),
      close: () => store.close(),
    };
  },
  lmdb: async (): Promise<Backend> => {
    const path = newDirectory();
    const store = await openLmdbStore({ path, clock: realClock });
    const close = async () => {
      await store.close();
      rmSync(path, { recursive: true });
    };
    return { prepare: prepareStores([store]), disturb: compactNowAndThen(store), close };
  },
  /** One member, and nothing happens to it. */
  etcd: (): Promise<Backend> => openEtcd(1, []),
  /** Three, of which any is paused, killed and started again, or all are. */
  "etcd-faults": (): Promise<Backend> => openEtcd(3, ["pause", "kill", "killAll"]),
  /** Two API servers on such an etcd, asked by HTTP; either is killed at times. */
  apiservers: (): Promise<Backend> => openApiservers(["pause", "kill", "killAll"]),
};

export type BackendName = keyof typeof backends;

export const backendNames = Object.keys(backends) as BackendName[];

export function isBackend(name: string): name is BackendName {
  return Object.hasOwn(backends, name);
}

export function openBackend(name: BackendName): Promise<Backend> {
  return backends[name]();
}

/** Two stores on one etcd, as of two servers. */
async function openEtcd(members: number, harms: readonly Harm[]): Promise<Backend> {
  const servers = await startEtcdServers({ members });
  const { endpoints } = servers;
  const open = () => openEtcdStore({ endpoints, clock: realClock });
  const [one, other] = [await open(), await open()];
  const compact = compactNowAndThen(other);
  return {
    prepare: prepareStores([one, other]),
    async disturb(disturbance) {
      const harming =
        harms.length > 0 ? harmMembers(servers, { ...disturbance, harms }) : Promise.resolve();
      await Promise.all([compact(disturbance), harming]);
    },
    async close() {
      await Promise.all([one.close(), other.close()]);
      await servers.stop();
    },
  };
}

/** A round has keys under a prefix of its own. */
export function prepareStores(stores: readonly Store[]): (name: string) => Promise<Prepared> {
  return async (name) => ({
    sources: stores.map((store) => storeSource(store, `/${name}/`)),
    keys: Array.from({ length: 8 }, (_, n) => `/${name}/${n}`),
  });
}

/** Compacts what was there when the round began, again and again a little more of it. */
export function compactNowAndThen(store: Store): (disturbance: Disturbance) => Promise<void> {
  let compacted = 1;
  return async ({ random, ended, begun }) => {
    const last = await begun;
    while (!ended()) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      const revision = compacted + Math.ceil(random.next() * (last - compacted));
      if (revision <= compacted) continue;
      compacted = revision;
      await store.compact(revision).catch(unlessUnreachable);
    }
  };
}

/** No member answers, or one did it and could not say so, and the next says that it was done before. */
function unlessUnreachable(error: unknown): void {
  const passing = ["Unavailable", "UnknownOutcome", "Compacted"];
  if (!(error instanceof StoreError && passing.includes(error.code))) throw error;
}

/** On the file system that the project is on. */
export function newDirectory(): string {
  return mkdtempSync(join(process.cwd(), "node_modules", ".linearizability-"));
}
