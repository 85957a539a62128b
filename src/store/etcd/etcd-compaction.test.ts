import { describe, expect, onTestFinished, test } from "vitest";
import { noLog } from "../../base/log.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { realClock } from "../../platform/real-clock.ts";
import { compactionRound, startEtcdCompaction } from "./etcd-compaction.ts";
import { hasEtcd, startEtcdServers, until } from "./etcd-server.test-support.ts";
import { openEtcdStore } from "./etcd-store.ts";

describe.skipIf(!hasEtcd)("compaction on a real etcd", () => {
  const open = async () => {
    const servers = await startEtcdServers();
    const store = await openEtcdStore({ endpoints: servers.endpoints, clock: realClock });
    onTestFinished(async () => {
      await store.close();
      await servers.stop();
    });
    const put = () => store.commit([{ type: "put", key: "/a", value: new Uint8Array(1) }]);
    const oldest = async (): Promise<number> => {
      const revision = await store.currentRevision();
      for (let n = revision; n > 0; n--)
        if (
          !(await store.get("/a", n).then(
            () => true,
            () => false,
          ))
        )
          return n + 1;
      return 0;
    };
    return { store, put, oldest };
  };

  test("compactionRound: one of two servers compacts, to the current revision of the previous round", async () => {
    const { store, put, oldest } = await open();
    const none = { version: 0, revision: 0 };
    await put();
    const first = await compactionRound(store.cluster, none);
    const second = await compactionRound(store.cluster, none);
    await put();
    const again = await compactionRound(store.cluster, first);
    const other = await compactionRound(store.cluster, second);
    expect([first, second, again, other, await oldest()]).toEqual([
      { version: 1, revision: 3 },
      { version: 1, revision: 3 },
      { version: 2, revision: 5 },
      { version: 2, revision: 5 },
      3,
    ]);
    expect(new TextDecoder().decode((await store.get("compact_rev_key"))?.value)).toBe("3");
  });

  test("compactionRound: another server takes over when the first is gone", async () => {
    const { store, put, oldest } = await open();
    await put();
    await compactionRound(store.cluster, { version: 0, revision: 0 });
    let known = await compactionRound(store.cluster, { version: 0, revision: 0 });
    await put();
    known = await compactionRound(store.cluster, known);
    expect([known.version, await oldest()]).toEqual([2, 3]);
  });

  test("startEtcdCompaction: runs a round per interval until it is closed", async () => {
    const { store, put } = await open();
    const clock = new VirtualClock();
    const compaction = startEtcdCompaction({
      cluster: store.cluster,
      clock,
      log: noLog,
      intervalMs: 300_000,
    });
    const rounds = async () => (await store.get("compact_rev_key"))?.version;
    const counted: unknown[] = [];
    for (const round of [1, 2]) {
      await put();
      await clock.advance(299_999);
      counted.push((await rounds()) ?? 0);
      await clock.advance(1);
      await until(async () => (await rounds()) === round);
      await until(() => clock.pending === 1);
    }
    compaction.close();
    expect([counted, clock.pending]).toEqual([[0, 1], 0]);
  });
});
