import { expect, onTestFinished, test } from "vitest";
import { hmacSha256 } from "../../../test/certificates.ts";
import { clusterInfo, detachedSignature } from "../../api/core/v1/cluster-info.ts";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import { accountedCluster } from "../accounted-cluster.test-support.ts";
import { partsOf } from "../running.test-support.ts";
import { bootstrapSignerModule } from "./bootstrap-signer-module.ts";

const kubeconfig = "apiVersion: v1\nkind: Config\n";
const secret = "0123456789abcdef";
const signature = (id: string, content = kubeconfig) =>
  detachedSignature(content, { id, secret }, hmacSha256);

async function start() {
  const runnables = partsOf(bootstrapSignerModule, { inputs: { hmacSha256 } });
  const cluster = await accountedCluster({ runnables });
  onTestFinished(() => cluster.end());
  const { client, settled } = cluster;
  const addToken = (id: string, more: Readonly<Record<string, string>> = {}, name = id) =>
    client.create(Secret, {
      metadata: { name: `bootstrap-token-${name}`, namespace: "kube-system" },
      type: "bootstrap.kubernetes.io/token",
      stringData: {
        "token-id": id,
        "token-secret": secret,
        "usage-bootstrap-signing": "true",
        ...more,
      },
    });
  const data = async () => {
    await settled();
    return (await client.get(ConfigMap, clusterInfo)).data;
  };
  await client.create(ConfigMap, { metadata: clusterInfo, data: { kubeconfig, other: "x" } });
  return { ...cluster, addToken, data };
}

test("cluster-info has a signature by each token that may sign", async () => {
  const { addToken, data } = await start();
  await addToken("aaaaaa");
  await addToken("bbbbbb", { expiration: "2026-01-02T00:00:00Z" });
  await addToken("cccccc", { expiration: "2025-01-02T00:00:00Z" });
  await addToken("dddddd", { "usage-bootstrap-signing": "false" });
  await addToken("eeeeee", {}, "ffffff");
  await addToken("gggggg", { "token-secret": "" });
  expect(await data()).toEqual({
    kubeconfig,
    other: "x",
    "jws-kubeconfig-aaaaaa": signature("aaaaaa"),
    "jws-kubeconfig-bbbbbb": signature("bbbbbb"),
  });
});

test("signatures follow the content and the tokens", async () => {
  const { client, addToken, data, writes } = await start();
  await addToken("aaaaaa");
  await addToken("bbbbbb");
  await data();
  const changed = "apiVersion: v1\n";
  await client.patch(ConfigMap, clusterInfo, { merge: { data: { kubeconfig: changed } } });
  await client.delete(Secret, { namespace: "kube-system", name: "bootstrap-token-bbbbbb" });
  expect(await data()).toEqual({
    kubeconfig: changed,
    other: "x",
    "jws-kubeconfig-aaaaaa": signature("aaaaaa", changed),
  });
  const before = writes.length;
  await client.patch(ConfigMap, clusterInfo, { merge: { metadata: { labels: { a: "b" } } } });
  await data();
  expect(writes).toHaveLength(before);
});

test("without a kubeconfig nothing is signed", async () => {
  const { client, addToken, data } = await start();
  await client.patch(ConfigMap, clusterInfo, { merge: { data: { kubeconfig: null } } });
  await addToken("aaaaaa");
  expect(await data()).toEqual({ other: "x" });
});
