import { afterEach, beforeEach, expect, test } from "vitest";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import {
  type SettableValue,
  settableValue,
} from "../../controller-runtime/reconcile/changing-value.ts";
import { partsOf, type RunningCluster, runningCluster } from "../running.test-support.ts";
import { rootCaModule } from "./root-ca-module.ts";

let cluster: RunningCluster;
let value: SettableValue<string>;

async function start(rootCa: string): Promise<void> {
  value = settableValue(rootCa);
  cluster = await runningCluster(...partsOf(rootCaModule, { inputs: { rootCa: value } }));
  await cluster.client.create(Namespace, { metadata: { name: "a" } });
  await cluster.settled();
}
beforeEach(() => start("PEM"));
afterEach(() => cluster.end());

const key = { namespace: "a", name: "kube-root-ca.crt" };
const published = async (): Promise<ConfigMap> => {
  await cluster.settled();
  return cluster.client.get(ConfigMap, key);
};

test("every namespace gets the certificates, with a description", async () => {
  const { data, metadata } = await published();
  expect(data).toEqual({ "ca.crt": "PEM" });
  expect(metadata.annotations?.["kubernetes.io/description"]).toMatch(/^Contains a CA bundle /);
  const { items } = await cluster.client.list(ConfigMap, {
    fieldSelector: { "metadata.name": key.name },
  });
  expect(items.map((one) => one.metadata.namespace).sort()).toEqual([
    "a",
    "default",
    "kube-node-lease",
    "kube-public",
    "kube-system",
  ]);
});

test("a changed or deleted ConfigMap is repaired; a description of its own stays", async () => {
  const own = { annotations: { "kubernetes.io/description": "ours" } };
  await cluster.client.patch(ConfigMap, key, { merge: { metadata: own } });
  expect((await published()).metadata.annotations).toEqual(own.annotations);
  await cluster.client.patch(ConfigMap, key, { merge: { data: { "ca.crt": "x", more: "y" } } });
  expect((await published()).data).toEqual({ "ca.crt": "PEM" });
  const none = { annotations: { "kubernetes.io/description": null } };
  await cluster.client.patch(ConfigMap, key, { merge: { metadata: none } });
  const described = (await published()).metadata.annotations?.["kubernetes.io/description"];
  expect(described).toMatch(/^Contains a CA bundle /);
  await cluster.client.delete(ConfigMap, key);
  expect((await published()).data).toEqual({ "ca.crt": "PEM" });
});

test("without certificates, the ConfigMap is published with an empty bundle", async () => {
  await cluster.end();
  await start("");
  expect((await published()).data).toEqual({ "ca.crt": "" });
});

test("other certificates are published in every namespace", async () => {
  value.set("other");
  expect((await published()).data).toEqual({ "ca.crt": "other" });
  const { items } = await cluster.client.list(ConfigMap, {
    fieldSelector: { "metadata.name": key.name },
  });
  expect(new Set(items.map(({ data }) => data?.["ca.crt"]))).toEqual(new Set(["other"]));
});
