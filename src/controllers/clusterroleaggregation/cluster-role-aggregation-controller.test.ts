import { expect, onTestFinished, test } from "vitest";
import { ClusterRole } from "../../api/rbac/v1/cluster-role.ts";
import { type AccountedCluster, accountedCluster } from "../accounted-cluster.test-support.ts";
import { partsOf } from "../running.test-support.ts";
import { clusterRoleAggregationModule } from "./cluster-role-aggregation-module.ts";

const rule = (resource: string) => ({ verbs: ["get"], apiGroups: [""], resources: [resource] });

async function start(): Promise<AccountedCluster> {
  const cluster = await accountedCluster({ runnables: partsOf(clusterRoleAggregationModule) });
  onTestFinished(() => cluster.end());
  const { client } = cluster;
  const add = (name: string, label: string | undefined, ...resources: string[]) =>
    client.create(ClusterRole, {
      metadata: { name, ...(label && { labels: { [label]: "true" } }) },
      rules: resources.map(rule),
    });
  await add("pods", "to-view", "pods");
  await add("all", "to-edit", "secrets", "pods");
  await add("other", undefined, "nodes");
  return cluster;
}

const aggregated = (name: string, labels: Record<string, string>, ...chosen: string[]) => ({
  metadata: { name, labels },
  aggregationRule: {
    clusterRoleSelectors: chosen.map((label) => ({ matchLabels: { [label]: "true" } })),
  },
});

const resources = async ({ client, settled }: AccountedCluster, name: string) => {
  await settled();
  const { rules } = await client.get(ClusterRole, { name });
  return (rules ?? []).flatMap((one) => one.resources);
};

test("a role has the rules of the roles that it chooses, those of other aggregated roles included", async () => {
  const cluster = await start();
  const { client } = cluster;
  await client.create(ClusterRole, aggregated("edit-all", {}, "to-view", "to-edit"));
  await client.create(ClusterRole, aggregated("view-all", { "to-edit": "true" }, "to-view"));
  expect(await resources(cluster, "view-all")).toEqual(["pods"]);
  expect(await resources(cluster, "edit-all")).toEqual(["pods", "secrets"]);
  const { metadata } = await client.get(ClusterRole, { name: "view-all" });
  expect(
    metadata.managedFields?.map(({ manager, operation }) => [manager, operation]),
  ).toContainEqual(["clusterrole-aggregation-controller", "Apply"]);
});

test("rules follow changes of roles, of labels, deletions, and edits of the rules themselves", async () => {
  const cluster = await start();
  const { client } = cluster;
  await client.create(ClusterRole, aggregated("view-all", {}, "to-view"));
  await client.patch(
    ClusterRole,
    { name: "other" },
    {
      merge: { metadata: { labels: { "to-view": "true" } } },
    },
  );
  expect(await resources(cluster, "view-all")).toEqual(["nodes", "pods"]);
  await client.patch(ClusterRole, { name: "pods" }, { merge: { rules: [rule("services")] } });
  expect(await resources(cluster, "view-all")).toEqual(["nodes", "services"]);
  await client.patch(ClusterRole, { name: "view-all" }, { merge: { rules: [rule("secrets")] } });
  expect(await resources(cluster, "view-all")).toEqual(["nodes", "services"]);
  await client.patch(ClusterRole, { name: "pods" }, { merge: { metadata: { labels: null } } });
  expect(await resources(cluster, "view-all")).toEqual(["nodes"]);
  await client.delete(ClusterRole, { name: "other" });
  expect(await resources(cluster, "view-all")).toEqual([]);
});

test("roles that need no change are not written", async () => {
  const { writes, settled, advance } = await start();
  await settled();
  await advance("1h");
  expect(writes).toEqual([]);
});
