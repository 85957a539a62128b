import { expect, onTestFinished, test } from "vitest";
import { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { StorageVersionMigration } from "../../api/storagemigration/v1beta1/storage-version-migration.ts";
import { dynamicKind } from "../../client/resource-kind.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import { accountedCluster } from "../accounted-cluster.test-support.ts";
import { partsOf } from "../running.test-support.ts";
import { storageVersionMigratorModule } from "./storage-version-migrator-module.ts";

const name = "widgets.example.com";

const definition = (stored: string, served: readonly string[]) => ({
  metadata: { name },
  spec: {
    group: "example.com",
    scope: "Namespaced" as const,
    names: { plural: "widgets", kind: "Widget" },
    versions: served.map((version) => ({
      name: version,
      served: true,
      storage: version === stored,
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: { size: { type: "integer" } },
        },
      },
    })),
  },
});

const widget = (version: string) =>
  dynamicKind({
    group: "example.com",
    version,
    kind: "Widget",
    plural: "widgets",
    scope: "Namespaced",
  });

async function openCluster() {
  const runtimeConfig = { "storagemigration.k8s.io/v1beta1": true };
  const cluster = await startCluster({ clock: "virtual", namespace: "default", runtimeConfig });
  const runnables = partsOf(storageVersionMigratorModule);
  const accounted = await accountedCluster({ runnables }, cluster);
  onTestFinished(accounted.end);
  const { client, settled, advance } = accounted;
  const migrate = async (own: string, group: string, resource: string) => {
    const spec = { resource: { group, resource } };
    await client.create(StorageVersionMigration, { metadata: { name: own }, spec });
    await settled();
    await advance("90s");
    const { status } = await client.get(StorageVersionMigration, { name: own });
    const text = ({ type, status: held, reason, message }: Record<string, unknown>) =>
      `${type}=${held} ${reason} ${message}`.trim();
    return { status, conditions: (status.conditions ?? []).map((one) => text({ ...one })) };
  };
  return { ...accounted, migrate };
}

test("a custom resource's objects are stored in its new version, and the old one can go", async () => {
  const { client, settled, migrate } = await openCluster();
  const created = await client.create(CustomResourceDefinition, definition("v1", ["v1", "v2"]));
  await settled();
  const old = await client.create(widget("v1"), { metadata: { name: "old" }, size: 1 });
  const change = async (stored: string, served: readonly string[]): Promise<void> => {
    const { metadata } = await client.get(CustomResourceDefinition, { name });
    const { spec } = definition(stored, served);
    await client.update(CustomResourceDefinition, { ...created, metadata, spec: spec as never });
    await settled();
  };
  await change("v2", ["v1", "v2"]);
  await client.create(widget("v2"), { metadata: { name: "new" }, size: 2 });
  const storedVersions = async () =>
    (await client.get(CustomResourceDefinition, { name })).status.storedVersions;
  expect(await storedVersions()).toEqual(["v1", "v2"]);

  const { conditions, status } = await migrate("widgets", "example.com", "widgets");
  expect(conditions).toEqual([
    "Running=False MigrationCompleted Migration completed",
    "Succeeded=True StorageVersionMigrationSucceeded",
  ]);
  expect(status.resourceVersion).toMatch(/^\d+$/);
  expect(await storedVersions()).toEqual(["v2"]);
  const { conditions: said = [] } = (await client.get(CustomResourceDefinition, { name })).status;
  expect(said.find(({ type }) => type === "StorageMigrating")).toMatchObject({
    status: "False",
    reason: "MigrationSucceeded",
    message: "The migration has succeeded and the stored versions have been updated",
  });

  // It was written, and is what it was.
  const migrated = await client.get(widget("v2"), { name: "old" });
  expect(migrated).toMatchObject({ size: 1 });
  expect(migrated.metadata.resourceVersion).not.toBe(old.metadata.resourceVersion);
  expect(migrated.metadata.generation).toBe(old.metadata.generation);
  await change("v2", ["v2"]);
  expect((await client.list(widget("v2"))).items).toMatchObject([{ size: 2 }, { size: 1 }]);
});

test("objects that are stored in the current version are not written", async () => {
  const { client, migrate } = await openCluster();
  const before = await client.create(ConfigMap, { metadata: { name: "settings" } });
  const { conditions } = await migrate("maps", "", "configmaps");
  expect(conditions).toContain("Succeeded=True StorageVersionMigrationSucceeded");
  const after = await client.get(ConfigMap, { name: "settings" });
  expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
});

test.each([
  ["nothing.example.com", "example.com", "nothing", "resource does not exist in discovery"],
  [
    "reviews",
    "authorization.k8s.io",
    "subjectaccessreviews",
    'resource "authorization.k8s.io/v1, Resource=subjectaccessreviews" does not support discovery operations: [update patch list]',
  ],
])("a migration of %s fails", async (own, group, resource, message) => {
  const { migrate } = await openCluster();
  const { conditions } = await migrate(own, group, resource);
  expect(conditions).toEqual([
    "Running=False MigrationCompleted Migration completed",
    `Failed=True StorageVersionMigrationFailed ${message}`,
  ]);
});

test("migrations of one resource run one after the other", async () => {
  const { client, settled, advance } = await openCluster();
  for (const own of ["b", "a"]) {
    const spec = { resource: { group: "", resource: "configmaps" } };
    await client.create(StorageVersionMigration, { metadata: { name: own }, spec });
  }
  await settled();
  await advance("90s");
  const { items } = await client.list(StorageVersionMigration);
  expect(
    items.map(({ status }) =>
      (status.conditions ?? []).map(({ type, status: held }) => `${type}=${held}`),
    ),
  ).toEqual([
    ["Running=False", "Succeeded=True"],
    ["Running=False", "Succeeded=True"],
  ]);
});
