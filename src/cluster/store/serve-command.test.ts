import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createGrpcClient } from "../../platform/grpc/grpc-client.ts";
import { realClock } from "../../platform/real-clock.ts";
import type { WatchResponse } from "../../store/etcd/etcd-messages.ts";
import { etcdMethods } from "../../store/etcd/etcd-methods.ts";
import { openEtcdStore } from "../../store/etcd/etcd-store.ts";
import { openLmdbStore } from "../../store/lmdb/lmdb-store.ts";
import {
  configMap,
  newDataDirectory,
  put,
  putText,
  runStore,
  serveStore,
} from "./store-command.test-support.ts";

const map = "/registry/configmaps/default/m";

test("wherry store serve: etcd clients can read and write a data directory", async () => {
  const dir = await newDataDirectory([[put(map, configMap({ a: "1" }))]]);
  const { printed, url, stop } = await serveStore(dir);
  expect(printed).toBe(`ready: ${url}\nto use it: export ETCDCTL_API=3 ETCDCTL_ENDPOINTS=${url}\n`);
  const etcd = await openEtcdStore({ endpoints: [url], clock: realClock });
  const outcome = await etcd.commit([put(map, configMap({ a: "2" }))]);
  await etcd.close();
  expect(outcome).toEqual({ ok: true, revision: 3 });
  const seen = await runStore(["history", "--etcd-servers", url, map]);
  expect(await runStore(["serve", "--data-dir", dir, "--listen", "127.0.0.1:0"])).toEqual({
    code: 1,
    stdout: "",
    stderr: `Error: ${dir}/store is in use by this process: stop that one first (or serve etcd's API from that process with --etcd-listen)\n`,
  });
  expect(await stop()).toEqual({ code: 0, stdout: printed, stderr: "" });
  expect(seen.stdout).toContain('~ data.a: "1" → "2"');
  expect(await runStore(["history", "--data-dir", dir, map])).toEqual(seen);
});

test("wherry store serve: after a restart, no watcher gets a part of the compacted revision", async () => {
  const dir = await newDataDirectory(
    [
      [putText("/w/1", "1")],
      [putText("/w/2", "1")],
      [{ type: "delete", key: "/w/1" }],
      [putText("/w/2", "2")],
    ],
    4,
  );
  const { address } = await serveStore(dir);
  const client = createGrpcClient({ address });
  onTestFinished(() => client.close());
  const responses: WatchResponse[] = [];
  const stream = client.stream(etcdMethods.watch, {
    message: (response) => void responses.push(response),
    end: () => undefined,
  });
  const range = { key: Buffer.from("/w/"), range_end: Buffer.from("/w0") };
  for (const start_revision of [3, 4, 5])
    stream.send({ create_request: { ...range, start_revision, watch_id: start_revision } });
  const answers = () => responses.filter(({ created }) => !created);
  await expect.poll(() => answers().length).toBe(3);
  expect(
    answers().map(({ watch_id, compact_revision, events }) => [
      watch_id,
      compact_revision,
      events.map(({ kv }) => kv?.mod_revision),
    ]),
  ).toEqual([
    [3, 5, []],
    [4, 5, []],
    [5, 0, [5]],
  ]);
});

test.each([
  [
    ["--listen", "0.0.0.0:2379"],
    "--listen=0.0.0.0:2379 can be reached from other machines, and every client can read all secrets: give a loopback address, or --etcd-listen-cert-file, --etcd-listen-key-file and --etcd-listen-client-ca-file",
  ],
  [["--listen", ""], "--listen is required: the address to serve on"],
  [["--listen", "here"], "--listen must be an IP address and a port, such as 127.0.0.1:2379: here"],
  [
    ["--etcd-servers", "http://127.0.0.1:1"],
    "--etcd-servers is already an etcd: give --data-dir instead",
  ],
])("wherry store serve %j is a usage error", async (args, problem) => {
  const dir = await newDataDirectory([]);
  expect(await runStore(["serve", "--data-dir", dir, ...args])).toEqual({
    code: 2,
    stdout: "",
    stderr: `Error: ${problem}\nSee 'wherry store serve --help' for usage.\n`,
  });
});

test("wherry store serve: closes the store if the port is in use", async () => {
  const dir = await newDataDirectory([]);
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const taken = await runStore(["serve", "--data-dir", dir, "--listen", `127.0.0.1:${port}`]);
  other.close();
  expect([taken.code, taken.stdout]).toEqual([1, ""]);
  expect(taken.stderr).toContain(
    `Error: port ${port} of 127.0.0.1 is in use: stop what listens there, or choose another with --listen`,
  );
  await (await openLmdbStore({ path: `${dir}/store`, clock: realClock })).close();
});
