import { expect, onTestFinished, test } from "vitest";
import { Secret } from "../../api/core/v1/secret.ts";
import { accountedCluster } from "../accounted-cluster.test-support.ts";
import { partsOf } from "../running.test-support.ts";
import { tokenCleanerModule } from "./token-cleaner-module.ts";

async function start() {
  const cluster = await accountedCluster({ runnables: partsOf(tokenCleanerModule) });
  onTestFinished(() => cluster.end());
  const { client } = cluster;
  const add = (name: string, expiration?: string, namespace = "kube-system") =>
    client.create(Secret, {
      metadata: { name, namespace },
      type: "bootstrap.kubernetes.io/token",
      stringData: { "token-id": name, ...(expiration && { expiration }) },
    });
  const names = async () =>
    (await client.list(Secret, { namespace: "" })).items.map(({ metadata }) => metadata.name);
  return { ...cluster, add, names };
}

test("tokens are deleted when they expire", async () => {
  const { add, names, settled, advance } = await start();
  await add("expired", "2025-12-31T23:59:59Z");
  await add("soon", "2026-01-01T00:10:00Z");
  await add("late", "2026-03-01T00:00:00+01:00");
  await add("never");
  await add("invalid", "tomorrow");
  await add("elsewhere", "2025-12-31T23:59:59Z", "default");
  await settled();
  expect(await names()).toEqual(["elsewhere", "late", "never", "soon"]);
  await advance("10m");
  expect(await names()).toEqual(["elsewhere", "late", "never"]);
  await advance("1416h");
  expect(await names()).toEqual(["elsewhere", "never"]);
});

test("a token whose expiration is changed lives as long as it says", async () => {
  const { client, add, names, advance } = await start();
  await add("a", "2026-01-01T00:10:00Z");
  const key = { namespace: "kube-system", name: "a" };
  const stringData = { expiration: "2026-01-01T01:00:00Z" };
  await client.patch(Secret, key, { merge: { stringData } });
  await advance("30m");
  expect(await names()).toEqual(["a"]);
  await advance("30m");
  expect(await names()).toEqual([]);
});
