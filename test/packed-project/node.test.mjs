// Under node:test.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigMap } from "wherry/api";
import { createInformers, StatusError } from "wherry/client";
import { startCluster } from "wherry/testing";

test("a cluster, a client and an informer", async () => {
  const cluster = await startCluster();
  const informers = createInformers(cluster);
  const informer = informers.of(ConfigMap, { namespace: "default" });
  await informer.synced();
  const { metadata } = await cluster.client.create(ConfigMap, { metadata: { name: "a" } });
  await informer.reached(metadata.resourceVersion ?? "");
  assert.equal(informer.get({ namespace: "default", name: "a" })?.metadata.uid, metadata.uid);
  await assert.rejects(cluster.client.get(ConfigMap, { name: "b" }), (error) =>
    StatusError.is(error, "NotFound"),
  );
  informers.close();
  await cluster.close();
});
