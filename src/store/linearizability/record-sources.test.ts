import { expect, test } from "vitest";
import { SeededRandom } from "../../base/random.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { MemoryStore } from "../memory/memory-store.ts";
import type { Store } from "../store.ts";
import { checkHistory } from "./check-history.ts";
import type { History } from "./history.ts";
import { type HistorySource, recordSources } from "./record-sources.ts";
import { storeSource } from "./store-source.ts";

test("MemoryStore: is linearizable", async () => {
  const store = new MemoryStore(new VirtualClock());
  for (const seed of [1, 2, 3]) checked(await record(store, seed, 3000));
  await store.close();
});

const faults: [string, string, (store: Store) => Partial<Store>][] = [
  [
    "reads what was there a little before",
    "no order explains",
    (store) => ({
      get: async (key) => {
        const revision = await store.currentRevision();
        return await store.get(key, Math.max(1, revision - 20));
      },
    }),
  ],
  [
    "loses some of what it acknowledges",
    "was acknowledged and is lost",
    (store) => ({
      commit: async (ops) => {
        const revision = await store.currentRevision();
        const isLost = ops.some(({ key }) => key.endsWith("/3")) && revision % 5 === 0;
        return isLost ? { ok: true, revision: revision + 1 } : await store.commit(ops);
      },
    }),
  ],
  [
    "does not look at conditions",
    "no order explains",
    (store) => ({
      commit: (ops) => store.commit(ops.map(({ ifRevision: _, ...op }) => op)),
    }),
  ],
  [
    "forgets some events",
    "came next",
    (store) => ({
      watch: async function* (prefix, options) {
        for await (const batch of store.watch(prefix, options)) {
          if (batch.revision % 30 !== 0 || !options.progress) yield batch;
        }
      },
    }),
  ],
  [
    "lists keys at different revisions",
    "and the log makes it",
    (store) => ({
      list: async (prefix, options) => {
        const [now, then] = [
          await store.list(prefix, options),
          (await store.currentRevision()) - 1,
        ];
        if (then < 2) return now;
        const before = await store.list(prefix, { ...options, revision: then });
        const half = (all: typeof now.entries, first: boolean) =>
          all.filter(({ key }) => key < "/1/3" === first);
        return { ...now, entries: [...half(before.entries, true), ...half(now.entries, false)] };
      },
    }),
  ],
];

for (const [what, problem, faulty] of faults) {
  test(`a store that ${what} is detected`, async () => {
    const store = new MemoryStore(new VirtualClock());
    const wrong = new Proxy(store, {
      get: (target, name) => {
        const own = faulty(store)[name as keyof Store];
        const method = own ?? Reflect.get(target, name);
        return typeof method === "function" ? method.bind(own ? wrong : target) : method;
      },
    }) as Store;
    const problems = checkHistory(await record(wrong, 1, 2000));
    expect(problems.join("\n")).toContain(problem);
  });
}

test("recordSources: a source that reconnects in a later turn of the event loop is read to the end", async () => {
  let isConnected = true;
  const reconnecting = (source: HistorySource): HistorySource => ({
    ...source,
    async *watch(options) {
      if (isConnected) yield* source.watch(options);
      // Each watch breaks the connection, and only a turn of the event loop restores it.
      isConnected = false;
      setImmediate(() => {
        isConnected = true;
      });
    },
  });
  const store = new MemoryStore(new VirtualClock());
  checked(await record(store, 3, 500, reconnecting));
});

async function record(
  store: Store,
  seed: number,
  most: number,
  wrap: (source: HistorySource) => HistorySource = (source) => source,
): Promise<History> {
  const random = new SeededRandom(seed);
  let asked = 0;
  const prefix = `/${seed}/`;
  return await recordSources({
    sources: [wrap(storeSource(store, prefix))],
    keys: Array.from({ length: 6 }, (_, n) => `${prefix}${n}`),
    clients: 16,
    watches: 6,
    random,
    now: () => performance.now(),
    ended: () => asked++ >= most,
    // A store in memory responds within a microtask: the pause makes operations concurrent.
    pause: () => new Promise((resolve) => setImmediate(resolve)),
  });
}

function checked(history: History): void {
  const kinds = new Set(
    history.operations.map(({ operation }) =>
      operation.type === "write" ? operation.outcome.type : operation.type,
    ),
  );
  expect([...kinds].sort()).toEqual(["done", "list", "read", "refused"]);
  expect(checkHistory(history)).toEqual([]);
}
