import { expect, test } from "vitest";
import { ServiceAccount } from "../api/core/v1/service-account.ts";
import { ClusterRole } from "../api/rbac/v1/cluster-role.ts";
import { ClusterRoleBinding } from "../api/rbac/v1/cluster-role-binding.ts";
import { withChanges } from "../client/with-changes.ts";
import { objectController } from "../controller-runtime/reconcile/object-controller.ts";
import { Widget } from "../custom-kinds/widget.test-support.ts";
import { startCluster } from "./start-cluster.ts";

const key = { namespace: "default", name: "a" };
const red = { metadata: { name: "a" }, spec: { color: "red" } } as const;

function widgets() {
  const gone: string[] = [];
  const controller = objectController({
    name: "widgets",
    for: Widget,
    async reconcile(widget, { client }) {
      if (widget.status?.readySize === widget.spec.size) return;
      const ready = withChanges(widget, (draft) => {
        draft.status = { readySize: draft.spec.size };
      });
      await client.update(Widget, ready, { subresource: "status" });
    },
    async reconcileGone({ name }) {
      gone.push(name);
    },
  });
  return { controller, gone };
}

test("cluster.run: reconciles what there is, and what comes, until it is disposed of", async () => {
  await using cluster = await startCluster({ clock: "virtual", crds: [Widget] });
  const { client } = cluster;
  await client.create(Widget, red);
  const { controller, gone } = widgets();
  {
    await using running = await cluster.run(controller);
    expect((await client.get(Widget, key)).status?.readySize).toBe(3);
    await client.patch(Widget, key, { merge: { spec: { size: 5 } } });
    await cluster.settled();
    expect((await client.get(Widget, key)).status?.readySize).toBe(5);
    expect(running.manager.isIdle).toBe(true);
  }
  await client.patch(Widget, key, { merge: { spec: { size: 6 } } });
  await cluster.settled();
  expect((await client.get(Widget, key)).status?.readySize).toBe(5);
  expect(gone).toEqual([]);
});

test("objectController: tells of objects that are gone", async () => {
  await using cluster = await startCluster({ crds: [Widget] });
  const { controller, gone } = widgets();
  await using _ = await cluster.run([controller]);
  await cluster.client.create(Widget, red);
  await cluster.settled();
  await cluster.client.delete(Widget, key);
  await cluster.settled();
  expect(gone).toEqual(["a"]);
});

test("cluster.run: controllers may do what the roles of their user permit", async () => {
  await using cluster = await startCluster({ clock: "virtual", crds: [Widget] });
  const { client } = cluster;
  await client.create(ServiceAccount, { metadata: { name: "widgets" } });
  const names = { metadata: { name: "widgets" } };
  await client.create(ClusterRole, {
    ...names,
    rules: [
      { apiGroups: ["example.com"], resources: ["widgets"], verbs: ["get", "list", "watch"] },
    ],
  });
  await client.create(ClusterRoleBinding, {
    ...names,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "widgets" },
    subjects: [{ kind: "ServiceAccount", namespace: "default", name: "widgets" }],
  });
  await client.create(Widget, red);
  const as = "system:serviceaccount:default:widgets";
  await using running = await cluster.run(widgets().controller, { as });
  const [trace] = running.manager.trace();
  expect(trace?.error).toContain('cannot update resource "widgets/status"');
  await client.patch(
    ClusterRole,
    { name: "widgets" },
    {
      json: [
        { op: "add", path: "/rules/0/resources/-", value: "widgets/status" },
        { op: "add", path: "/rules/0/verbs/-", value: "update" },
      ],
    },
  );
  await cluster.advance("1s");
  expect((await client.get(Widget, key)).status?.readySize).toBe(3);
});

test("cluster.run: closing the cluster stops controllers", async () => {
  const cluster = await startCluster({ crds: [Widget] });
  const { manager } = await cluster.run(widgets().controller);
  await cluster.close();
  expect(manager.ready().healthy).toBe(false);
});
