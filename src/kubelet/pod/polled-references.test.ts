import { expect, onTestFinished, test } from "vitest";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import { cachedReferences, requestedReferences } from "./polled-references.ts";

const key = { name: "m", namespace: "default" };
const podOf = (resourceVersion: string): Pod =>
  ({
    metadata: { uid: "u", namespace: "default", resourceVersion },
    spec: { containers: [], volumes: [{ name: "v", configMap: { name: "m" } }] },
  }) as never;

async function opened(annotations: Readonly<Record<string, string>> = {}) {
  const cluster = await startCluster({ clock: "virtual", namespace: "default" });
  onTestFinished(() => cluster.close());
  const { client, clock } = cluster;
  await client.create(ConfigMap, { metadata: key, data: { a: "1" } });
  const cached = cachedReferences({
    ...{ client, clock, node: () => ({ metadata: { annotations } }) as never },
  });
  const write = (a: string) => client.update(ConfigMap, { metadata: key, data: { a } });
  return { cluster, cached, write };
}

test("requestedReferences: what is read is current", async () => {
  const { cluster, write } = await opened();
  const references = requestedReferences(cluster.client);
  expect(await references.configMap(key)).toEqual({ a: "1" });
  await write("2");
  expect(await references.configMap(key)).toEqual({ a: "2" });
  expect(await references.secret(key)).toBeUndefined();
});

test("cachedReferences: an object is read again after a minute, or when its pod has changed", async () => {
  const { cluster, cached, write } = await opened();
  cached.retain(podOf("1"));
  expect(await cached.configMap(key)).toEqual({ a: "1" });
  await write("2");
  await cluster.advance("59s");
  cached.retain(podOf("1"));
  expect(await cached.configMap(key)).toEqual({ a: "1" });
  cached.retain(podOf("2"));
  expect(await cached.configMap(key)).toEqual({ a: "2" });
  await write("3");
  await cluster.advance("60s");
  expect(await cached.configMap(key)).toEqual({ a: "3" });
  cached.release("u");
  await write("4");
  expect(await cached.configMap(key)).toEqual({ a: "4" });
});

test("cachedReferences: the cluster chooses how long by an annotation of the node", async () => {
  const { cached, write } = await opened({ "node.alpha.kubernetes.io/ttl": "0" });
  cached.retain(podOf("1"));
  expect(await cached.configMap(key)).toEqual({ a: "1" });
  await write("2");
  expect(await cached.configMap(key)).toEqual({ a: "2" });
});
