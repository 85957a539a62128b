import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import type { EtcdCluster } from "./etcd-cluster.ts";
import { etcdLeases } from "./etcd-leases.ts";

/** Leases by number, and for how many seconds each was granted. */
function granting() {
  const clock = new VirtualClock();
  const granted: number[] = [];
  const call = async (_: unknown, { TTL }: { TTL: number }) => ({ ID: BigInt(granted.push(TTL)) });
  const leases = etcdLeases({ cluster: { call } as unknown as EtcdCluster, clock });
  return { clock, granted, leases };
}

test("etcdLeases: a lease lasts a twentieth longer, and is shared meanwhile", async () => {
  const { clock, granted, leases } = granting();
  const ids: bigint[] = [];
  for (let second = 0; second < 60; second += 10) {
    ids.push(await leases.leaseFor(600_000, 1));
    await clock.advance(10_000);
  }
  expect([ids, granted]).toEqual([
    [1n, 1n, 1n, 2n, 2n, 2n],
    [630, 630],
  ]);
});

test("etcdLeases: an hour is shared for a minute at most", async () => {
  const { granted, leases } = granting();
  await leases.leaseFor(3_600_000, 1);
  await leases.leaseFor(3_600_000 + 60_000, 1);
  expect(granted).toEqual([3660, 3720]);
});

test("etcdLeases: no more than a thousand keys share one, and it can be forgotten", async () => {
  const { granted, leases } = granting();
  const ids = [await leases.leaseFor(600_000, 600), await leases.leaseFor(600_000, 600)];
  leases.forget();
  ids.push(await leases.leaseFor(600_000, 1));
  expect([ids, granted.length]).toEqual([[1n, 2n, 3n], 3]);
});

test("etcdLeases: what is short has a lease of its own, in whole seconds", async () => {
  const { granted, leases } = granting();
  await Promise.all([leases.leaseFor(1500, 1), leases.leaseFor(1500, 1)]);
  expect(granted).toEqual([2, 2]);
});
