import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { realClock } from "../../platform/real-clock.ts";
import { entriesAt } from "../snapshot/snapshot-source.ts";
import { StoreError, type WatchBatch } from "../store.ts";
import { etcdMethods } from "./etcd-methods.ts";
import {
  type EtcdServers,
  type EtcdServersOptions,
  etcdTls,
  freePorts,
  hasEtcd,
  startEtcdServers,
  until,
} from "./etcd-server.test-support.ts";
import { type EtcdStore, type EtcdStoreOptions, openEtcdStore } from "./etcd-store.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (value: Uint8Array | undefined): string => new TextDecoder().decode(value);

async function serve(options?: EtcdServersOptions): Promise<EtcdServers> {
  const servers = await startEtcdServers(options);
  onTestFinished(() => servers.stop());
  return servers;
}

async function open(
  { endpoints }: Pick<EtcdServers, "endpoints">,
  options: Partial<EtcdStoreOptions> = {},
): Promise<EtcdStore> {
  const store = await openEtcdStore({ endpoints, clock: realClock, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** Increments a counter in the store until it is stopped. */
function startCounting(store: EtcdStore, key: string) {
  let isStopped = false;
  const acknowledged: number[] = [];
  const unknown: string[] = [];
  const run = async (): Promise<void> => {
    for (let n = 0; !isStopped; n++) {
      try {
        const outcome = await store.commit([{ type: "put", key, value: bytes(`${n}`) }]);
        if (outcome.ok) acknowledged.push(n);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        if (error.code === "UnknownOutcome") unknown.push(`${n}`);
        else if (error.code !== "Unavailable") throw error;
      }
    }
  };
  const running = run();
  return {
    acknowledged,
    unknown,
    stop: async () => {
      isStopped = true;
      await running;
    },
  };
}

describe.skipIf(!hasEtcd)("faults of a real etcd", () => {
  const faults: [string, (servers: EtcdServers) => Promise<void>][] = [
    ["the first member is killed", async ({ members }) => members[0]?.kill()],
    ["the leader is killed", async (servers) => (await servers.leader()).kill()],
    ["the leader is paused", async (servers) => (await servers.leader()).pause()],
    ["the first member is paused", async ({ members }) => members[0]?.pause()],
  ];
  for (const [what, fault] of faults)
    test(`EtcdStore: ${what}: nothing acknowledged is lost, every event arrives once and in order`, {
      timeout: 90_000,
    }, async () => {
      const servers = await serve({ members: 3 });
      const store = await open(servers);
      const seen: WatchBatch[] = [];
      const ends: string[] = [];
      store.subscribe(
        "/",
        { from: 1, progress: true },
        {
          batch: (batch) => void seen.push(batch),
          end: ({ code }) => void ends.push(code),
        },
      );
      const counting = startCounting(store, "/n");
      await until(() => counting.acknowledged.length > 20);
      await fault(servers);
      const before = counting.acknowledged.length;
      await until(() => counting.acknowledged.length > before + 20);
      const read = await store.get("/n");
      await counting.stop();
      const last = await store.currentRevision();
      await until(() => seen.at(-1)?.revision === last);
      const written = seen.map(({ events }) => textOf(events[0]?.entry?.value));
      const isKnown = new Set(written);
      expect(seen.map(({ revision }) => revision)).toEqual(seen.map((_, n) => n + 2));
      expect(counting.acknowledged.filter((n) => !isKnown.has(`${n}`))).toEqual([]);
      const extra = written.filter((n) => !counting.acknowledged.includes(Number(n)));
      expect(extra.filter((n) => !counting.unknown.includes(n))).toEqual([]);
      expect([isKnown.size, isKnown.has(textOf(read?.value)), ends]).toEqual([
        written.length,
        true,
        [],
      ]);
    });

  test("EtcdStore: without a quorum nothing responds, and everything continues when it is back", async () => {
    const servers = await serve({ members: 3 });
    const store = await open(servers);
    await store.commit([{ type: "put", key: "/a", value: bytes("1") }]);
    const seen: string[] = [];
    store.subscribe(
      "/",
      { from: 1 },
      {
        batch: ({ events }) => void seen.push(textOf(events[0]?.entry?.value)),
        end: ({ code }) => void seen.push(code),
      },
    );
    await Promise.all(servers.members.slice(1).map((member) => member.kill()));
    const refused = await store.get("/a").then(
      () => "answered",
      (error: unknown) => (error instanceof StoreError ? error.code : error),
    );
    await Promise.all(servers.members.slice(1).map((member) => member.restart()));
    await until(() => store.get("/a").catch(() => undefined));
    await store.commit([{ type: "put", key: "/a", value: bytes("2") }]);
    expect([refused, seen]).toEqual(["Unavailable", ["1", "2"]]);
  });

  test("EtcdStore: mutual TLS works, and a missing certificate is a clear error", async () => {
    const directory = await mkdtemp(join(tmpdir(), "wherry-etcd-tls-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    const tls = await etcdTls(directory);
    const servers = await serve({ tls });
    const store = await open(servers, { tls: tls.client });
    await store.commit([{ type: "put", key: "/a", value: bytes("1") }]);
    const { endpoints } = servers;
    const strange = openEtcdStore({ endpoints, clock: realClock, dialMs: 2000 });
    await expect(strange).rejects.toThrow(
      /^no etcd server answered within 2 seconds \(https:\/\/127\.0\.0\.1:\d+: .*certificate/,
    );
    expect(textOf((await store.get("/a"))?.value)).toBe("1");
  }, 120_000);

  test("openEtcdStore: times out, with the error of each member", async () => {
    const endpoints = (await freePorts(2)).map((port) => `http://127.0.0.1:${port}`);
    const begun = performance.now();
    const opening = openEtcdStore({ endpoints, clock: realClock, dialMs: 1000 });
    const error: unknown = await opening.catch((e: unknown) => e);
    const refused = endpoints.map(
      (endpoint) => `${endpoint}: connect ECONNREFUSED ${endpoint.slice("http://".length)}`,
    );
    expect(error).toMatchObject({
      code: "Unavailable",
      message: `no etcd server answered within 1 seconds (${refused.join("; ")})`,
    });
    // The default timeout is 20 seconds.
    expect(performance.now() - begun).toBeLessThan(15_000);
  });

  test("EtcdStore: any number of commits may be pending at once, over TLS, too", async () => {
    const directory = await mkdtemp(join(tmpdir(), "wherry-etcd-tls-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    const tls = await etcdTls(directory);
    const store = await open(await serve({ tls }), { tls: tls.client });
    const seen = new Set<string>();
    const batch = ({ events }: WatchBatch): void => {
      for (const { key } of events) seen.add(key);
    };
    store.subscribe("/", { from: 1 }, { batch, end: () => {} });
    // A member handles 250 concurrent calls there.
    const keys = Array.from({ length: 600 }, (_, n) => `/${n}`);
    const value = new Uint8Array(20_000).fill(7);
    const outcomes = await Promise.all(
      keys.map((key) => store.commit([{ type: "put", key, value, ifRevision: 0 }])),
    );
    expect(outcomes.every(({ ok }) => ok)).toBe(true);
    expect(seen).toEqual(new Set(keys));
    expect((await store.list("/")).entries).toHaveLength(600);
  });

  test("EtcdStore: reports when the keys of a lease expire, also of leases of other clients", async () => {
    const store = await open(await serve());
    const put = (key: string, ttlMs?: number) => {
      const ttl = ttlMs !== undefined && { ttlMs };
      return store.commit([{ type: "put", key, value: bytes("1"), ...ttl }]);
    };
    await put("/for-ever");
    await put("/minute", 60_000);
    await put("/hour", 3_600_000);
    await put("/soon", 1000);
    const { entries, revision } = await store.list("/");
    await until(async () => (await store.get("/soon")) === undefined);
    const now = Date.now();
    const left = new Map<string, number>();
    for await (const { key, expiresAt } of entriesAt(store, revision))
      left.set(key, expiresAt === 0 ? 0 : (expiresAt - now) / 1000);
    expect([...left.keys()]).toEqual(entries.map(({ key }) => key));
    expect(left.get("/for-ever")).toBe(0);
    // Leases last five percent longer, at most a minute.
    expect(left.get("/minute")).toSatisfy((seconds: number) => seconds > 30 && seconds <= 64);
    expect(left.get("/hour")).toSatisfy((seconds: number) => seconds > 3570 && seconds <= 3661);
    // Expired entries are skipped when they are put into another store.
    expect(left.get("/soon")).toSatisfy((seconds: number) => seconds < 1);
  });

  test("openEtcdStore: waits for members that are starting", async () => {
    const servers = await serve();
    await servers.members[0]?.kill();
    const opening = open(servers);
    await servers.members[0]?.restart();
    await expect((await opening).currentRevision()).resolves.toBe(1);
  });

  test("EtcdStore: fragments are joined, one batch per commit", async () => {
    const store = await open(await serve());
    const value = new Uint8Array(300_000).fill(7);
    for (let n = 0; n < 12; n++)
      await store.commit(["/a", "/b", "/c"].map((key) => ({ type: "put", key, value })));
    const seen: string[] = [];
    const batch = ({ revision, events }: WatchBatch): void =>
      void seen.push(`${revision}: ${events.map(({ key }) => key).join(" ")}`);
    store.subscribe("/", { from: 1 }, { batch, end: ({ code }) => void seen.push(code) });
    await store.commit([{ type: "put", key: "/a", value }]);
    expect(seen).toEqual([...Array.from({ length: 12 }, (_, n) => `${n + 2}: /a /b /c`), "14: /a"]);
  });

  test("EtcdStore: a request that is too large for etcd is rejected at once, and nothing is applied", async () => {
    const store = await open(await serve());
    const commit = (size: number) =>
      store.commit([{ type: "put", key: "/a", value: new Uint8Array(size) }]);
    const begun = performance.now();
    await expect(commit(1_600_000)).rejects.toThrow(
      /^etcd rejected the request: etcdserver: request is too large$/,
    );
    await expect(commit(9_000_000)).rejects.toMatchObject({ code: "Invalid" });
    // A repeated call times out after ten seconds.
    expect(performance.now() - begun).toBeLessThan(9_000);
    expect((await commit(1_000_000)).revision).toBe(2);
  });

  test("EtcdStore: a thousand keys with the same time to live share a lease", async () => {
    const servers = await serve();
    const store = await open(servers);
    const put = (n: number) =>
      store.commit([{ type: "put", key: `/${n}`, value: bytes("x"), ttlMs: 3_600_000 }]);
    await Promise.all(Array.from({ length: 1000 }, (_, n) => put(n)));

    const { leases } = await store.cluster.call(
      etcdMethods.leaseLeases,
      {},
      { isRepeatable: true },
    );
    expect(leases.length).toBe(1);
  });

  test("EtcdStore: with a prefix of its own it sees no other keys, but their revisions", async () => {
    const servers = await serve();
    const [ours, theirs] = [await open(servers, { prefix: "mine/" }), await open(servers)];
    const seen: string[] = [];
    ours.subscribe(
      "/registry/",
      { from: 1, progress: true },
      {
        batch: ({ revision, events }) =>
          void seen.push(`${revision}: ${events.map(({ key }) => key).join(" ")}`),
        end: ({ code }) => void seen.push(code),
      },
    );
    await theirs.commit([{ type: "put", key: "/registry/pods/a", value: bytes("theirs") }]);
    // If etcd reports progress correctly, it is requested now.
    await ours.currentRevision();
    await until(() => seen.length === 1);
    await ours.commit([{ type: "put", key: "/registry/pods/b", value: bytes("ours") }]);
    await until(() => seen.length === 2);
    const keysOf = async (store: EtcdStore, prefix: string) =>
      (await store.list(prefix)).entries.map(({ key }) => key);
    const outside = ours.commit([{ type: "put", key: "/other", value: bytes("x") }]);
    await expect(outside).rejects.toMatchObject({ code: "Invalid" });
    expect([
      await keysOf(ours, ""),
      await keysOf(ours, "/registry/pods/"),
      await keysOf(theirs, ""),
      seen,
    ]).toEqual([
      ["/registry/pods/b"],
      ["/registry/pods/b"],
      ["/mine/pods/b", "/registry/pods/a"],
      ["2: ", "3: /registry/pods/b"],
    ]);
  });
});
