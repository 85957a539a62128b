import { expect, onTestFinished, test } from "vitest";
import { StorageVersion } from "../../api/apiserverinternal/v1alpha1/storage-version.ts";
import { Lease } from "../../api/coordination/v1/lease.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import { accountedCluster } from "../accounted-cluster.test-support.ts";
import { partsOf } from "../running.test-support.ts";
import { storageVersionGcModule } from "./storage-version-gc-module.ts";

const namespace = "kube-system";
const identity = { "apiserver.kubernetes.io/identity": "kube-apiserver" };

test("a server is removed with its lease, and a version with its last server", async () => {
  const runtimeConfig = { "internal.apiserver.k8s.io/v1alpha1": true };
  const cluster = await startCluster({ clock: "virtual", namespace: "default", runtimeConfig });
  const runnables = partsOf(storageVersionGcModule);
  const { client, settled, end } = await accountedCluster({ runnables }, cluster);
  onTestFinished(end);
  const addLease = (name: string, labels: Readonly<Record<string, string>> = identity) =>
    client.create(Lease, { metadata: { name, namespace, labels }, spec: {} });
  const addVersion = async (name: string, servers: readonly string[]): Promise<void> => {
    const created = await client.create(StorageVersion, { metadata: { name }, spec: {} });
    const storageVersions = servers.map((apiServerID) => ({
      apiServerID,
      encodingVersion: "v1",
      decodableVersions: ["v1"],
    }));
    const status = { storageVersions, commonEncodingVersion: "v1" };
    await client.update(StorageVersion, { ...created, status }, { subresource: "status" });
  };
  const known = async () => {
    await settled();
    const { items } = await client.list(StorageVersion);
    return items.map(({ metadata, status }) => [
      metadata.name,
      (status.storageVersions ?? []).map(({ apiServerID }) => apiServerID),
    ]);
  };
  await addLease("a");
  await addLease("b");
  await addLease("other", {});
  await addVersion("apps.deployments", ["a", "b", "gone", "other"]);
  await addVersion("batch.jobs", ["b"]);
  expect(await known()).toEqual([
    ["apps.deployments", ["a", "b"]],
    ["batch.jobs", ["b"]],
  ]);
  await client.delete(Lease, { namespace, name: "b" });
  expect(await known()).toEqual([["apps.deployments", ["a"]]]);
});
