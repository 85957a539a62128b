import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { openServer, send, type TestAnswer } from "../../apiserver/in-process.test-support.ts";
import { newYear } from "../../apiserver/suite/harness-suite.ts";
import { noLog } from "../../base/log.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { createGrpcClient } from "../../platform/grpc/grpc-client.ts";
import { type GrpcError, grpcCodes } from "../../platform/grpc/grpc-error.ts";
import { realClock } from "../../platform/real-clock.ts";
import { systemRandom } from "../../platform/system-entropy.ts";
import { etcdMethods } from "../../store/etcd/etcd-methods.ts";
import { type LmdbStore, openLmdbStore } from "../../store/lmdb/lmdb-store.ts";
import { serveEtcd } from "../../store/serve/serve-etcd.ts";

const path = "/api/v1/namespaces/default/configmaps";

test("ApiServer: on a full store returns etcd's error, allows deletions, and accepts writes again after compaction", async () => {
  const directory = await mkdtemp(join(tmpdir(), "wherry-full-"));
  let store: LmdbStore | undefined;
  const clock = new VirtualClock(newYear, { settle: async () => await store?.settled() });
  const quotaBytes = 8 * 2 ** 20;
  store = await openLmdbStore({ path: join(directory, "store"), clock, quotaBytes });
  const server = await openServer(clock, store);
  const create = (name: string): Promise<TestAnswer> =>
    send(server, {
      method: "POST",
      path,
      body: { metadata: { name }, data: { text: "x".repeat(100_000) } },
    });
  let created = 0;
  let refused = await create("0");
  while (refused.status === 201) refused = await create(`${++created}`);
  const update = await send(server, {
    method: "PATCH",
    path: `${path}/0`,
    headers: { "content-type": "application/merge-patch+json" },
    body: { data: { more: "y" } },
  });
  const read = await send(server, { path: `${path}/0` });
  const deleted: number[] = [];
  for (let n = 0; n < created; n++)
    deleted.push((await send(server, { method: "DELETE", path: `${path}/${n}` })).status);
  const still = await create("again");
  // Deleted objects are compacted minutes later by this clock, but the disk works in real time.
  const again = await eventually(async () => {
    await clock.advance(5 * 60_000);
    const answer = await create("again");
    expect(answer.status).toBe(201);
    return answer;
  });
  server.close();
  await store.close();
  await rm(directory, { recursive: true });
  const full = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "etcdserver: mvcc: database space exceeded",
    code: 500,
  };
  expect([refused, update, still].map(({ status, text }) => [status, JSON.parse(text)])).toEqual(
    Array(3).fill([500, full]),
  );
  expect([created > 50, read.status, new Set(deleted), again.status]).toEqual([
    true,
    200,
    new Set([200]),
    201,
  ]);
});

test("serveEtcd: a full store returns etcd's error, and accepts writes again after compaction", async () => {
  const directory = await mkdtemp(join(tmpdir(), "wherry-full-"));
  const store = await openLmdbStore({
    path: join(directory, "store"),
    clock: realClock,
    quotaBytes: 2 ** 20,
  });
  const served = await serveEtcd({
    store,
    host: "127.0.0.1",
    port: 0,
    clock: realClock,
    random: systemRandom,
    log: noLog,
    storeBytes: () => 0,
  });
  const client = createGrpcClient({ address: `127.0.0.1:${served.port}` });
  const put = (n: number): Promise<unknown> =>
    client
      .unary(etcdMethods.put, { key: bytes(`/${n}`), value: new Uint8Array(100_000) })
      .catch(({ code, message }: GrpcError) => ({ code, message }));
  let puts = 0;
  let refused: unknown = await put(0);
  while (!(refused instanceof Object && "code" in refused)) refused = await put(++puts);
  const all = { key: bytes("/"), range_end: bytes("0") };
  const deleted = await client.unary(etcdMethods.deleteRange, all);
  const { header } = await client.unary(etcdMethods.range, all);
  await client.unary(etcdMethods.compact, { revision: header?.revision ?? 0 });
  const again = await eventually(async () => {
    const answer = await put(0);
    expect(answer).not.toHaveProperty("code");
    return answer;
  });
  client.close();
  await served.close();
  await store.close();
  await rm(directory, { recursive: true });
  expect([refused, Number(deleted.deleted), again]).toMatchObject([
    { code: grpcCodes.resourceExhausted, message: "etcdserver: mvcc: database space exceeded" },
    puts,
    { header: {} },
  ]);
});

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
