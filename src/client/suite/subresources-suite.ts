import { expect } from "vitest";
import { Deployment } from "../../api/apps/v1/deployment.ts";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { PodDisruptionBudget } from "../../api/policy/v1/pod-disruption-budget.ts";
import { Eviction, PodBinding, Scale, TokenRequest } from "../subresource-kinds.ts";
import { withChanges } from "../with-changes.ts";
import type { ClientTest } from "./client-suite.ts";

const labels = { app: "web" };
const spec = { containers: [{ name: "c", image: "i" }] };
const web = {
  metadata: { name: "web" },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec },
  },
};
const key = { name: "web" };

/** Tests of subresources. */
export function subresourcesSuite(test: ClientTest): void {
  test("the status is written separately", async (client) => {
    const created = await client.create(Deployment, web);
    const subresource = "status";
    const changed = withChanges(created, (draft) => {
      draft.spec.replicas = 9;
      draft.status = { replicas: 3 };
    });
    const updated = await client.update(Deployment, changed, { subresource });
    expect([updated.spec.replicas, updated.status.replicas]).toEqual([2, 3]);
    const patch = { merge: { status: { replicas: 4, readyReplicas: 1 } } };
    const patched = await client.patch(Deployment, key, patch, { subresource });
    expect(patched.status).toMatchObject({ replicas: 4, readyReplicas: 1 });
    expect(await client.get(Deployment, key, { subresource })).toEqual(patched);
    const whole = await client.update(Deployment, { ...patched, status: {} });
    expect(whole.status.replicas).toBe(4);
    const dry = { subresource, dryRun: true };
    await client.patch(Deployment, key, { merge: { status: { replicas: 5 } } }, dry);
    expect((await client.get(Deployment, key)).status.replicas).toBe(4);
  });

  test("the scale has its own kind, and can be read, updated and patched", async (client) => {
    await client.create(Deployment, web);
    const scale = client.subresource(Deployment, key, "scale");
    const read = await scale.get(Scale);
    expect(read).toMatchObject({
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      metadata: { name: "web", namespace: "default" },
      spec: { replicas: 2 },
      status: { replicas: 0, selector: "app=web" },
    });
    const wanted = withChanges(read, (draft) => {
      draft.spec.replicas = 5;
    });
    expect((await scale.update(Scale, wanted)).spec.replicas).toBe(5);
    await expect(scale.update(Scale, wanted)).rejects.toMatchObject({ reason: "Conflict" });
    const patched = await scale.patch(Scale, { merge: { spec: { replicas: 7 } } });
    expect(patched.spec.replicas).toBe(7);
    const dry = { dryRun: true, fieldManager: "scaler", fieldValidation: "Strict" } as const;
    await scale.patch(Scale, { json: [{ op: "replace", path: "/spec/replicas", value: 1 }] }, dry);
    expect((await client.get(Deployment, key)).spec.replicas).toBe(7);
    const missing = client.subresource(Deployment, { name: "nope" }, "scale").get(Scale);
    await expect(missing).rejects.toMatchObject({
      message: 'deployments.apps "nope" not found',
    });
  });

  test("a pod is evicted if its disruption budgets allow it", async (client) => {
    const pod = { metadata: { name: "p", labels }, spec: { ...spec, nodeName: "n" } };
    await client.create(Pod, pod);
    await client.patch(
      Pod,
      { name: "p" },
      { merge: { status: { phase: "Running" } } },
      {
        subresource: "status",
      },
    );
    const budget = { minAvailable: 1, selector: { matchLabels: labels } };
    await client.create(PodDisruptionBudget, { metadata: { name: "b" }, spec: budget });
    const status = { observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 0 };
    await client.patch(
      PodDisruptionBudget,
      { name: "b" },
      { merge: { status } },
      {
        subresource: "status",
      },
    );
    const evict = client.subresource(Pod, { name: "p" }, "eviction");
    const impatient = { metadata: { name: "p" }, deleteOptions: { gracePeriodSeconds: 0 } };
    await expect(evict.create(Eviction, impatient)).rejects.toMatchObject({
      reason: "TooManyRequests",
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: { causes: [{ reason: "DisruptionBudget" }] },
    });
    await client.delete(PodDisruptionBudget, { name: "b" });
    const planned = await evict.create(Eviction, impatient, { dryRun: true });
    expect(planned).toMatchObject({ kind: "Status", status: "Success" });
    await client.get(Pod, { name: "p" });
    expect(await evict.create(Eviction, impatient)).toMatchObject({ status: "Success" });
    await expect(client.get(Pod, { name: "p" })).rejects.toMatchObject({ code: 404 });
  });

  test("a service account's token has the requested audiences", async (client) => {
    await client.create(ServiceAccount, { metadata: { name: "robot" } });
    const token = client.subresource(ServiceAccount, { name: "robot" }, "token");
    const wanted = { spec: { audiences: ["them"], expirationSeconds: 600 } };
    const { status, spec: given } = await token.create(TokenRequest, wanted);
    expect(status.token?.split(".").length).toBe(3);
    expect(given).toMatchObject(wanted.spec);
    const brief = token.create(TokenRequest, { spec: { expirationSeconds: 1 } });
    await expect(brief).rejects.toMatchObject({ reason: "Invalid" });
  });

  test("a pod is bound to a node once", async (client) => {
    await client.create(Node, { metadata: { name: "n" } });
    await client.create(Pod, { metadata: { name: "p" }, spec });
    const binding = client.subresource(Pod, { name: "p" }, "binding");
    const target = { kind: "Node", name: "n" };
    const bound = await binding.create(PodBinding, { metadata: { name: "p" }, target });
    expect(bound).toMatchObject({ kind: "Status", status: "Success" });
    expect((await client.get(Pod, { name: "p" })).spec.nodeName).toBe("n");
    const again = binding.create(PodBinding, { metadata: { name: "p" }, target });
    await expect(again).rejects.toMatchObject({ reason: "Conflict" });
  });

  test("subresources of cluster-scoped kinds have no namespace", async (client) => {
    const created = await client.create(Namespace, { metadata: { name: "n" } });
    const finalize = client.subresource(Namespace, { name: "n" }, "finalize");
    const { spec: _, ...rest } = created;
    const finalized = await finalize.update(Namespace, { ...rest, spec: { finalizers: [] } });
    expect(finalized.spec.finalizers).toBeUndefined();
  });

  test("an unknown subresource is rejected", async (client) => {
    await client.create(ConfigMap, { metadata: { name: "a" } });
    const scale = client.subresource(ConfigMap, { name: "a" }, "scale").get(Scale);
    await expect(scale).rejects.toMatchObject({
      reason: "NotFound",
      message: "the server could not find the requested resource",
    });
  });
}
