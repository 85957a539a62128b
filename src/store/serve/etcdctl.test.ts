import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createGrpcClient } from "../../platform/grpc/grpc-client.ts";
import { etcdMethods } from "../etcd/etcd-methods.ts";
import { type Endpoint, startEtcd, startOurs } from "./both.test-support.ts";
import { etcdctl, following, hasEtcdctl, type Printed } from "./etcdctl.test-support.ts";

/** The output without expected differences: identity and address. */
function comparable({ code, stdout, error }: Printed, { address }: Endpoint): Printed {
  const same = (text: string): string =>
    text
      .replaceAll(address, "ENDPOINT")
      .replaceAll(/"(cluster_id|member_id|raft_term)":\d+/g, '"$1":N')
      .replaceAll(/took = \S+/g, "took = TIME");
  return { code, stdout: same(stdout), error: same(error) };
}

describe.skipIf(!hasEtcdctl)("etcdctl cannot distinguish this server from etcd", () => {
  let etcd: Endpoint;
  let ours: Endpoint;
  beforeEach(async () => {
    [etcd, ours] = await Promise.all([startEtcd(), startOurs()]);
  });
  afterEach(async () => {
    await Promise.all([etcd.stop(), ours.stop()]);
  });

  /** Runs a command on both, and compares the output. */
  async function same(line: string, input?: string): Promise<Printed> {
    const args = line.split(" ").map((word) => (word === "''" ? "" : word));
    const [wanted, got] = await Promise.all([
      etcdctl(etcd.address, args, input),
      etcdctl(ours.address, args, input),
    ]);
    expect(comparable(got, ours), line).toEqual(comparable(wanted, etcd));
    return got;
  }
  const sameLines = async (lines: readonly string[]): Promise<void> => {
    for (const line of lines) await same(line);
  };

  test("keys are put, read in every way, and deleted", async () => {
    await sameLines([
      "put /a/1 one",
      "put /a/2 two",
      "put /b/1 three -w json",
      "put /a/1 eins --prev-kv",
      "put ключ значение",
      "put кпюч значение",
      "get /a/1",
      "get /a/1 -w json",
      "get /a/ --prefix",
      "get /a/ --prefix --keys-only",
      "get кп --prefix -w json",
      "get '' --prefix -w json",
      "get /a/2 --from-key -w json",
      "get /a/1 /b/1 -w json",
      "get '' --prefix --limit 2 -w json",
      "get '' --prefix --sort-by=VERSION --order=DESCEND --limit 1 -w json",
      "get '' --prefix --sort-by=MODIFY --order=ASCEND -w json",
      "get '' --prefix --sort-by=VALUE --order=DESCEND",
      "get '' --prefix --sort-by=CREATE --order=DESCEND",
      "get /a/1 --rev=2 -w json",
      "get '' --prefix --rev=4 -w json",
      "get /a/1 --rev=1 -w json",
      "get /a/1 --rev=100",
      "get nothing -w json",
      "put /a/1 --ignore-value -w json",
      "put nothing --ignore-value",
      "put /a/1 x --lease=123",
      "del /a/ --prefix --prev-kv",
      "del /a/ --prefix -w json",
      "del /b/1 -w json",
      "get '' --prefix -w json",
    ]);
  });

  test("transactions compare, and run one branch at one revision", async () => {
    await sameLines(["put a 1", "put b 2"]);
    const either = "put a 3\nget a\ndel b\n\nput c 4\nget '' --prefix\n\n";
    for (const compare of [
      'mod("a") = "2"',
      'value("a") = "1"',
      'version("a") > "1"',
      'create("zzz") = "0"',
      'value("zzz") = ""',
      'mod("a") = "2"\nmod("b") = "77"',
    ]) {
      await same("txn", `${compare}\n\n${either}`);
      await same("txn -w json", `${compare}\n\n${either}`);
    }
    await same("txn", "\n\nput a 1\nput a 2\n\n\n");
    await same("txn", "\n\nput a 1\ndel a\n\n\n");
    await same("txn", "\n\nget a --rev=1000\n\n\n");
    await same("txn", "\n\nput a 9 --prev-kv\ndel b c --prev-kv\nget a z\n\n\n");
    await same("get '' --prefix -w json");
  });

  test("compaction removes old revisions and cancels watches of them", async () => {
    await sameLines([
      "put a 1",
      "put a 2",
      "put a 3",
      "compaction 3",
      "get a --rev=2",
      "get a --rev=3 -w json",
      "compaction 3",
      "compaction 2",
      "compaction 100",
      "watch a --rev=2",
      "watch b a",
    ]);
  });

  test("a watch sends history, then live events", async () => {
    await sameLines(["put a 1", "put b 1", "put a 2", "del a"]);
    for (const args of [
      ["watch", "a", "--rev=2"],
      ["watch", "", "--prefix", "--rev=1", "--prev-kv"],
    ]) {
      const both = [etcd, ours].map(({ address }) => following(address, args));
      await sameLines(["put a 3", "put b 2", "put b last", "put a last"]);
      const isEnough = (printed: string): boolean => printed.endsWith("a\nlast\n");
      const [wanted, got] = await Promise.all(both.map(({ until }) => until(isEnough)));
      expect(got).toBe(wanted);
      await Promise.all(both.map(({ stop }) => stop()));
    }
  });

  test("revoking a lease deletes its keys", async () => {
    const id = "77777777";
    const grants = await Promise.all(
      [etcd, ours].map(({ address }) => grant(address, 0x77777777n)),
    );
    expect(grants).toEqual([600, 600]);
    await sameLines([
      `put a 1 --lease=${id}`,
      `put b 2 --lease=${id} -w json`,
      `put c 3 --lease=${id}`,
      "put c 4",
      "get '' --prefix -w json",
      "put b 5 --ignore-lease",
      "get b -w json",
      "get b --rev=4 -w json",
      "lease list",
      `lease keep-alive --once ${id}`,
      `lease keep-alive --once 4711`,
      `lease timetolive 4711`,
      `lease timetolive ${id}`,
    ]);
    const keys = await Promise.all(
      [etcd, ours].map(({ address }) => etcdctl(address, ["lease", "timetolive", id, "--keys"])),
    );
    for (const { stdout } of keys)
      expect(stdout).toMatch(/granted with TTL\(600s\), .*\[a b\]|\[b a\]/);
    await sameLines([
      `lease revoke ${id}`,
      `lease revoke ${id}`,
      "get '' --prefix -w json",
      "lease list",
    ]);
  });

  test("an expired lease deletes its keys", async () => {
    const both = [etcd, ours];
    const granted = await Promise.all(both.map(({ address }) => grant(address, 5n, 1)));
    expect(granted).toEqual([2, 2]);
    for (const { address } of both) {
      await grant(address, 6n, 5);
      const client = createGrpcClient({ address });
      await client.unary(etcdMethods.put, { key: Buffer.from("a"), lease: 6n });
      client.close();
    }
    const watches = both.map(({ address }) => following(address, ["watch", "a", "--rev=1"]));
    for (const { until } of watches) await until((printed) => printed.includes("DELETE"));
    for (const { stop } of watches) await stop();
    await same("get a -w json");
  });

  test("the member is healthy", async () => {
    await sameLines([
      "put a 1",
      "endpoint health",
      "alarm list",
      "alarm disarm",
      "defrag",
      "move-leader zzz",
    ]);
    await savesSnapshot(ours.address);
    const [status, members] = await Promise.all([
      etcdctl(ours.address, ["endpoint", "status"]),
      etcdctl(ours.address, ["member", "list"]),
    ]);
    expect(status.stdout).toMatch(
      /^127\.0\.0\.1:\d+, [0-9a-f]+, 3\.4\.31, 4\.1 kB, true, false, 1, 2, 2, $/m,
    );
    expect(members.stdout).toMatch(
      /^[0-9a-f]+, started, wherry, , http:\/\/127\.0\.0\.1:\d+, false$/m,
    );
  });
});

/** Saves a snapshot with etcdctl and verifies it. */
async function savesSnapshot(address: string): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "wherry-snapshot-"));
  const file = join(dir, "snapshot.db");
  const saved = await etcdctl(address, ["snapshot", "save", file]);
  expect(saved.stdout).toBe(`Snapshot saved at ${file}\n`);
  const status = await etcdctl(address, ["snapshot", "status", file, "-w", "json"]);
  expect(JSON.parse(status.stdout)).toMatchObject({ revision: 2, totalKey: 3 });
  await rm(dir, { recursive: true, force: true });
}

/** Grants a lease with an id, which etcdctl cannot choose; returns its time to live. */
async function grant(address: string, ID: bigint, TTL = 600): Promise<number> {
  const client = createGrpcClient({ address });
  try {
    return (await client.unary(etcdMethods.leaseGrant, { ID, TTL })).TTL;
  } finally {
    client.close();
  }
}
