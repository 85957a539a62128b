import { expect, test } from "vitest";
import { noLog } from "../../base/log.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { PutRequest } from "../etcd/etcd-messages.ts";
import { MemoryStore } from "../memory/memory-store.ts";
import type { Store } from "../store.ts";
import type { Transactor } from "../transactor.ts";
import { Draft } from "./draft.ts";
import { endLeases } from "./end-leases.ts";
import { LeaseBook } from "./lease-book.ts";
import { put } from "./writes.ts";

function world(store?: Store & Transactor, clock = new VirtualClock(1_000_000)) {
  const kept = store ?? new MemoryStore(clock);
  let ids = 0n;
  const leases = new LeaseBook({ store: kept, clock, log: noLog, newId: () => ++ids });
  const putWith = async (key: string, lease: bigint): Promise<number> => {
    const request = PutRequest.decode(PutRequest.encode({ key: Buffer.from(key), lease }));
    const { revision } = await kept.transact((now) => {
      const draft = new Draft(now);
      put({ draft, leases }, request);
      return { ops: draft.ops, answer: undefined };
    });
    return revision;
  };
  const keys = async () => (await kept.list("/")).entries.map(({ key }) => key);
  return { store: kept, clock, leases, putWith, keys };
}

test("LeaseBook: keys are deleted in one revision when their lease expires, unless it is renewed", async () => {
  const { store, clock, leases, putWith, keys } = world();
  const { id } = leases.grant(0n, 10);
  await putWith("/a", id);
  await putWith("/b", id);
  await clock.advance(9000);
  expect(leases.renew(id)?.ttl).toBe(10);
  await clock.advance(9000);
  expect(await keys()).toEqual(["/a", "/b"]);
  const before = await store.currentRevision();
  await clock.advance(1000);
  expect([await keys(), await store.currentRevision()]).toEqual([[], before + 1]);
  expect([leases.renew(id), leases.all()]).toEqual([undefined, []]);
});

test("LeaseBook: a key that was written since is not deleted with the lease", async () => {
  const { store, clock, leases, putWith, keys } = world();
  const { id } = leases.grant(0n, 10);
  for (const key of ["/kept", "/put again", "/moved", "/gone"]) await putWith(key, id);
  // By a client without knowledge of leases.
  await store.commit([{ type: "put", key: "/put again", value: new Uint8Array(0) }]);
  await store.commit([{ type: "delete", key: "/gone" }]);
  await putWith("/moved", leases.grant(0n, 1000).id);
  const lease = leases.lookup(id);
  expect(lease && leases.keys(lease, store.view())).toEqual(["/kept"]);
  await clock.advance(10_000);
  expect(await keys()).toEqual(["/moved", "/put again"]);
});

test("LeaseBook: leases with keys are restored after a restart, with their full time to live", async () => {
  const first = world();
  const { id } = first.leases.grant(0n, 10);
  first.leases.grant(0n, 10);
  await first.putWith("/a", id);
  await first.clock.advance(8000);
  first.leases.close();
  const { leases, keys, clock } = world(first.store, first.clock);
  expect(leases.all().map((lease) => [lease.id, lease.ttl, [...lease.keys]])).toEqual([
    [id, 10, ["/a"]],
  ]);
  await clock.advance(9000);
  expect(await keys()).toEqual(["/a"]);
  await clock.advance(1000);
  expect(await keys()).toEqual([]);
});

test("endLeases: leases of earlier clients expire without a server", async () => {
  const first = world();
  const { id } = first.leases.grant(0n, 10);
  await first.putWith("/a", id);
  first.leases.close();
  const { store, clock } = first;
  const ending = endLeases({ store, clock, log: noLog });
  await clock.advance(9000);
  expect(await first.keys()).toEqual(["/a"]);
  await clock.advance(1000);
  expect(await first.keys()).toEqual([]);
  ending.close();
});

test("LeaseBook: the timer of a lease of thousands of years does not fire at once", async () => {
  const { clock, leases } = world();
  const { id } = leases.grant(0n, 9_000_000_000);
  await clock.advance(100 * 24 * 3600 * 1000);
  expect(leases.lookup(id)?.ttl).toBe(9_000_000_000);
});
