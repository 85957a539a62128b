import { expect, onTestFinished, test } from "vitest";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { accountedCluster } from "../accounted-cluster.test-support.ts";
import { partsOf } from "../running.test-support.ts";
import { legacyTokenCleanerModule } from "./legacy-token-cleaner-module.ts";

const invalidSince = "kubernetes.io/legacy-token-invalid-since";
const tracking = {
  namespace: "kube-system",
  name: "kube-apiserver-legacy-service-account-token-tracking",
};

/** A cluster, from 2026-01-01, that keeps unused tokens for two days, with one account. */
async function start() {
  const values = { "legacy-service-account-token-clean-up-period": 48 * 3_600_000 };
  const cluster = await accountedCluster({
    runnables: partsOf(legacyTokenCleanerModule, { values }),
  });
  onTestFinished(() => cluster.end());
  const { client } = cluster;
  await client.create(ServiceAccount, {
    metadata: { name: "robot", namespace: "default" },
    secrets: [{ name: "unused" }, { name: "mounted" }],
  });
  for (const name of ["unused", "mounted", "made-by-hand"])
    await client.create(Secret, {
      metadata: {
        name,
        namespace: "default",
        annotations: { "kubernetes.io/service-account.name": "robot" },
      },
      type: "kubernetes.io/service-account-token",
    });
  await client.create(Pod, {
    metadata: { name: "user", namespace: "default" },
    spec: {
      containers: [{ name: "c", image: "i" }],
      volumes: [{ name: "token", secret: { secretName: "mounted" } }],
    },
  });
  const tokens = async () => {
    const { items } = await client.list(Secret, { namespace: "default" });
    return items.map(({ metadata: { name, labels } }) => [name, labels?.[invalidSince]]);
  };
  return { ...cluster, tokens };
}

test("an unused token is marked invalid after the period, and deleted after one more", async () => {
  const { tokens, advance, writes } = await start();
  await advance("48h");
  expect(writes).toEqual([]);
  await advance("24h");
  const others = [
    ["made-by-hand", undefined],
    ["mounted", undefined],
  ];
  expect(await tokens()).toEqual([...others, ["unused", "2026-01-04"]]);
  await advance("48h");
  expect(await tokens()).toEqual([...others, ["unused", "2026-01-04"]]);
  await advance("24h");
  expect(await tokens()).toEqual(others);
  expect(writes.length).toBe(2);
});

test("without a valid day since which uses are recorded, no token is touched", async () => {
  const { client, advance, writes } = await start();
  await client.patch(ConfigMap, tracking, { merge: { data: { since: "2026-06-01" } } });
  await advance("240h");
  expect(writes).toEqual([]);
});
