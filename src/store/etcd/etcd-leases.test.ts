import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import type { EtcdCluster } from "./etcd-cluster.ts";
import { etcdLeases } from "./etcd-leases.ts";

/** Granted leases by number, with their seconds. */
function granting() {
  const clock = new VirtualClock();
  const granted: number[] = [];
  const call = async (_: unknown, { TTL }: { TTL: number }) => ({ ID: BigInt(granted.push(TTL)) });
  const leases = etcdLeases({ cluster: { call } as unknown as EtcdCluster, clock });
  return { clock, granted, leases };
}

test("etcdLeases: a lease lasts five percent longer, and is shared meanwhile", async () => {
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

test("etcdLeases: a lease of an hour is shared for at most a minute", async () => {
  const { granted, leases } = granting();
  await leases.leaseFor(3_600_000, 1);
  await leases.leaseFor(3_600_000 + 60_000, 1);
  expect(granted).toEqual([3660, 3720]);
});

test("etcdLeases: at most a thousand keys share a lease, and it can be forgotten", async () => {
  const { granted, leases } = granting();
  const ids = [await leases.leaseFor(600_000, 600), await leases.leaseFor(600_000, 600)];
  leases.forget();
  ids.push(await leases.leaseFor(600_000, 1));
  expect([ids, granted.length]).toEqual([[1n, 2n, 3n], 3]);
});

test("etcdLeases: a short lease is not shared, and rounded up to seconds", async () => {
  const { granted, leases } = granting();
  await Promise.all([leases.leaseFor(1500, 1), leases.leaseFor(1500, 1)]);
  expect(granted).toEqual([2, 2]);
});
