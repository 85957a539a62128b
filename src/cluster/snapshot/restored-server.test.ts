import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { httpsClient } from "../../../test/support/https-client.test-support.ts";
import { newDirectory } from "../../../test/support/server-process.test-support.ts";
import { realClock } from "../../platform/real-clock.ts";
import { openLmdbStore } from "../../store/lmdb/lmdb-store.ts";
import { start } from "../commands/apiserver/apiserver.ts";
import { restoreSnapshot } from "./restore-snapshot.ts";
import { writeSnapshot } from "./write-snapshot.ts";

const directory = newDirectory();
afterAll(() => directory.remove());

const configMaps = "/api/v1/namespaces/default/configmaps";

test("restoreSnapshot: a server starts from a snapshot of a running one, and its clients can connect", async () => {
  const { path, data } = directory;
  const first = await start({ dir: data, host: "127.0.0.1", port: 0 });
  const [ca, cert, key] = ["ca.crt", "admin.crt", "admin.key"].map((name) =>
    readFileSync(join(data, "pki", name), "utf8"),
  ) as [string, string, string];
  const identity = { cert, key };
  const before = httpsClient(first.port, ca, identity);
  const kept = await before.call("POST", configMaps, { body: configMap("kept") });
  const file = join(path, "snapshot");
  const store = await openLmdbStore({
    path: join(data, "store"),
    clock: realClock,
    readOnly: true,
  });
  await writeSnapshot({ store, file, now: new Date(), dataDir: data, passphrase: "secret" });
  await store.close();
  // Writes after the snapshot are lost, and their revisions must not be used again.
  const lost = await before.call("POST", configMaps, { body: configMap("lost") });
  before.close();
  await first.close();
  await rm(data, { recursive: true });

  const dir = join(path, "elsewhere");
  await restoreSnapshot({ file, dir, passphrase: "secret" });
  const second = await start({ dir, host: "127.0.0.1", port: 0 });
  const after = httpsClient(second.port, ca, identity);
  const names = ["kept", "lost"].map(
    async (name) => (await after.call("GET", `${configMaps}/${name}`)).status,
  );
  const list = await after.call("GET", configMaps);
  const old = lost.body.metadata.resourceVersion;
  const watch = await after.call("GET", `${configMaps}?watch=1&resourceVersion=${old}`);
  after.close();
  await second.close();
  expect([kept.status, lost.status, await Promise.all(names)]).toEqual([201, 201, [200, 404]]);
  expect(Number(list.body.metadata.resourceVersion)).toBeGreaterThan(Number(old));
  expect(watch.text).toContain('"reason":"Expired"');
});

function configMap(name: string): unknown {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
}
