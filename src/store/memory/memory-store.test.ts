import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { storeSuite } from "../suite/store-suite.ts";
import { transactorSuite } from "../suite/transactor-suite.ts";
import { MemoryStore } from "./memory-store.ts";

storeSuite("MemoryStore", { open: async (clock) => new MemoryStore(clock) });
transactorSuite("MemoryStore", async () => new MemoryStore(new VirtualClock()));

const value = new Uint8Array(1);

test("MemoryStore.fork: both are independent and share their history", async () => {
  const store = new MemoryStore(new VirtualClock());
  for (const key of ["/a", "/b", "/a"]) await store.commit([{ type: "put", key, value }]);
  const fork = store.fork();
  await store.commit([{ type: "delete", key: "/a" }]);
  await store.compact(4);
  await fork.commit([{ type: "put", key: "/c", value }]);
  await fork.commit([{ type: "put", key: "/b", value }]);
  const keys = async (of: MemoryStore, revision: number) =>
    (await of.list("/", { revision })).entries.map((entry) => `${entry.key}@${entry.modRevision}`);
  expect([await keys(store, 0), await keys(fork, 0), await keys(fork, 3)]).toEqual([
    ["/b@3"],
    ["/a@4", "/b@6", "/c@5"],
    ["/a@2", "/b@3"],
  ]);
});

test("MemoryStore.fork: keys expire in each, on its own clock", async () => {
  const clock = new VirtualClock();
  const store = new MemoryStore(clock);
  await store.commit([{ type: "put", key: "/a", value, ttlMs: 1000 }]);
  const forkClock = clock.fork();
  const fork = store.fork(forkClock);
  await forkClock.advance(1000);
  expect([await store.currentRevision(), await fork.currentRevision()]).toEqual([2, 3]);
});
