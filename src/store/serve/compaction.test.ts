import { describe, expect, test } from "vitest";
import type { WatchResponse } from "../etcd/etcd-messages.ts";
import { etcdMethods } from "../etcd/etcd-methods.ts";
import { hasEtcd } from "../etcd/etcd-server.test-support.ts";
import { readable, startBoth } from "./both.test-support.ts";

/** The machine may be busy. */
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const all = { key: Uint8Array.of(0), range_end: Uint8Array.of(0) };

describe.skipIf(!hasEtcd)("compaction keeps and removes the same revisions as etcd", () => {
  const { clients, same } = startBoth();
  const put = (key: string, value: string) =>
    same(etcdMethods.put, { key: bytes(key), value: bytes(value) });
  /** Starts a watch at every revision up to two beyond the current one, and compares the events. */
  async function sameWatches(current: number): Promise<void> {
    const streams = clients().map((client) => {
      const responses: WatchResponse[] = [];
      const stream = client.stream(etcdMethods.watch, {
        message: (response) => void responses.push(response),
        end: () => undefined,
      });
      // Not below 0: there, etcd loses events before it has read history.
      for (let start = 0; start <= current + 2; start++) {
        const watch_id = start + 100;
        const request = { ...all, start_revision: start, watch_id, prev_kv: true };
        stream.send({ create_request: request });
      }
      return { stream, responses };
    });
    for (const { responses } of streams)
      await expect.poll(() => responses.filter(({ created }) => created).length).toBe(current + 3);
    for (const value of ["1", "2"]) await put("fence", value);
    const told = await Promise.all(
      streams.map(async ({ stream, responses }) => {
        const watches = Array.from({ length: current + 3 }, (_, n) => n + 100);
        const of = (id: number) => responses.filter(({ watch_id }) => watch_id === id);
        const isDone = (id: number): boolean =>
          of(id).some(
            ({ canceled, events }) =>
              canceled || events.some(({ kv }) => kv?.mod_revision === current + 2),
          );
        await expect.poll(() => watches.filter((id) => !isDone(id))).toEqual([]);
        stream.cancel();
        return watches.map((id) => ({
          start: id - 100,
          created: of(id).filter(({ created }) => created).length,
          canceled: of(id)
            .filter(({ canceled }) => canceled)
            .map(({ compact_revision, cancel_reason }) => [compact_revision, cancel_reason]),
          events: of(id).flatMap(({ events }) => events.map(readable)),
        }));
      }),
    );
    expect(told[1]).toEqual(told[0]);
  }

  test("reads, watches and compactions at, below and above each", {
    timeout: 120_000,
  }, async () => {
    const revisionNow = async (): Promise<number> => {
      const { header } = (await same(etcdMethods.range, all)) as { header: { revision: number } };
      return header.revision;
    };
    // Nothing was written yet: the first revision is no commit.
    await sameWatches(await revisionNow());
    for (const asked of [-1, 1000]) await same(etcdMethods.compact, { revision: asked });
    for (const [key, value] of ["a1", "a2", "b1", "c1", "a3", "b2", "d1", "a4"])
      await put(key ?? "", value ?? "");
    let current = await revisionNow();
    for (const revision of [3, 4, current - 1, current]) {
      await same(etcdMethods.compact, { revision });
      for (const again of [revision, revision - 1, current + 1, 0, -1])
        await same(etcdMethods.compact, { revision: again });
      for (let at = -1; at <= current + 2; at++) {
        await same(etcdMethods.range, { ...all, revision: at });
        await same(etcdMethods.range, { key: bytes("none"), revision: at });
        await same(etcdMethods.txn, { success: [{ request_range: { ...all, revision: at } }] });
      }
      await sameWatches(current);
      current = await revisionNow();
    }
  });
});
