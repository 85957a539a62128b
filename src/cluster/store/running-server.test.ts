import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startProcess } from "../../../test/support/server-process.test-support.ts";
import { startWherry } from "../../../test/support/wherry-process.test-support.ts";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { withChanges } from "../../client/with-changes.ts";
import { connect } from "../../kubeconfig/connect.ts";
import { newFolder, runStore } from "./store-command.test-support.ts";

test("a store can be read but not changed while its server runs", async () => {
  const data = join(newFolder(), "data");
  const server = await startProcess(data);
  const store = (name: string, ...args: readonly string[]) =>
    runStore([name, "--data-dir", data, ...args]);
  const key = "/registry/configmaps/default/live";
  const { client, close } = await connect({ path: join(data, "admin.kubeconfig") });
  const created = await client.create(ConfigMap, {
    metadata: { namespace: "default", name: "live" },
    data: { a: "1" },
  });
  const from = String(Number(created.metadata.resourceVersion) - 1);
  const watching = startWherry([
    ...["store", "watch", "--data-dir", data],
    ...[key, "--from", from, "--changes"],
  ]);
  expect(await store("ls", "/registry/configmaps/default")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`${key}\n`),
  });
  await watching.until(/created/);
  await client.update(
    ConfigMap,
    withChanges(created, (map) => {
      map.data = { a: "2" };
    }),
  );
  await watching.until(/~ data\.a: "1" → "2"/);
  expect((await watching.end("SIGINT")).code).toBe(0);
  expect((await store("history", key)).stdout).toMatch(
    /^revision \d+: created at \S+Z by .+ \(Update\)\nrevision \d+: updated at \S+Z by .+ \(Update\)\n {2}~ data\.a: "1" → "2"\n$/,
  );
  expect(await store("compact")).toEqual({
    code: 1,
    stdout: "",
    stderr: `Error: ${data}/store is in use by process ${server.pid}: stop that one first (an API server compacts its store itself, every --etcd-compaction-interval: there is nothing to do)\n`,
  });
  expect((await store("verify")).stdout).toMatch(/no violation found\n$/);
  await close();
  expect(await server.end()).toBe(0);
  expect(await store("compact")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^compacted: the oldest revision is now \d+;/),
  });
}, 120_000);

test("a snapshot of a running server starts the cluster elsewhere", async () => {
  const folder = newFolder();
  const [data, restored, file] = ["data", "restored", "backup"].map((name) => join(folder, name));
  const server = await startProcess(`${data}`);
  const admin = await connect({ path: `${data}/admin.kubeconfig` });
  const map = { metadata: { namespace: "default", name: "kept" }, data: { a: "1" } };
  const { metadata } = await admin.client.create(ConfigMap, map);
  const passphrase = ["--passphrase-file", join(folder, "passphrase")];
  await writeFile(join(folder, "passphrase"), "correct horse");
  const taken = await runStore(["snapshot", "--data-dir", `${data}`, `${file}`, ...passphrase]);
  expect(taken).toMatchObject({ code: 0, stdout: expect.stringMatching(/: revision \d+, /) });
  await admin.close();
  await server.end("SIGKILL");

  const made = await runStore(["restore", `${file}`, "--data-dir", `${restored}`, ...passphrase]);
  expect(made).toMatchObject({ code: 0, stderr: "" });
  const again = await startProcess(`${restored}`);
  const { client, close } = await connect({ path: `${restored}/admin.kubeconfig` });
  const found = await client.get(ConfigMap, { namespace: "default", name: "kept" });
  expect([found.data, found.metadata.uid]).toEqual([map.data, metadata.uid]);
  await close();
  await again.end();
}, 120_000);
