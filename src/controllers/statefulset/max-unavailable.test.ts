import { expect, onTestFinished, test } from "vitest";
import { StatefulSet } from "../../api/apps/v1/stateful-set.ts";
import { statefulSetWithMaxUnavailable } from "../../api/apps/v1/stateful-set-max-unavailable.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { kinds as allKinds } from "../../api/kinds.generated.ts";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import type { ResourceKind } from "../../client/resource-kind.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import { partsOf, runningOn } from "../running.test-support.ts";
import { statefulSetModule } from "./stateful-set-module.ts";

const labels = { app: "web" };
const template = (image: string) => ({
  metadata: { labels },
  spec: { containers: [{ name: "web", image }] },
});
const spec = (rollingUpdate: object) => ({
  replicas: 5,
  serviceName: "web",
  podManagementPolicy: "Parallel" as const,
  selector: { matchLabels: labels },
  template: template("v1"),
  updateStrategy: { type: "RollingUpdate" as const, rollingUpdate },
});

/** A cluster with the feature on, or without it. */
async function openCluster(isOn: boolean) {
  const kinds: readonly ResourceKind[] = allKinds.map((one) =>
    isOn && (one as ResourceKind) === StatefulSet ? statefulSetWithMaxUnavailable() : one,
  );
  const given = await startCluster({ clock: "virtual", namespace: "default", kinds });
  const inputs = { features: new Set(isOn ? ["MaxUnavailableStatefulSet"] : []) };
  const metrics = new MetricsRegistry();
  const parts = partsOf(statefulSetModule, { inputs });
  const cluster = await runningOn({ ...given, metrics } as typeof given, ...parts);
  onTestFinished(() => cluster.end());
  const { client, settled } = cluster;
  const images = async (): Promise<readonly string[]> => {
    const { items } = await client.list(Pod, { namespace: "default" });
    return items.map((pod) => `${pod.metadata.name} ${pod.spec.containers[0]?.image}`).sort();
  };
  const makeReady = async (): Promise<void> => {
    const lastTransitionTime = "2026-01-01T00:00:00Z";
    const conditions = [{ type: "Ready", status: "True", lastTransitionTime }];
    const status = { phase: "Running", conditions };
    for (const { metadata } of (await client.list(Pod, { namespace: "default" })).items)
      await client.patch(
        Pod,
        { name: metadata.name ?? "" },
        { merge: { status } as never },
        { subresource: "status" },
      );
    await settled();
  };
  const change = (changed: object) =>
    client.patch(StatefulSet, { name: "web" }, { merge: { spec: changed as never } });
  const create = async (rollingUpdate: object) => {
    const set = await client.create(StatefulSet, {
      metadata: { name: "web" },
      spec: spec(rollingUpdate),
    });
    await settled();
    await makeReady();
    return set;
  };
  /** The metrics of stateful sets: `NAME VALUE`. */
  const gauges = (): readonly string[] =>
    [...metrics.text().matchAll(/^statefulset_controller_statefulset_(\w+)\{.*\} (\d+)$/gm)].map(
      ([, name, value]) => `${name} ${value}`,
    );
  return { ...cluster, images, change, create, makeReady, gauges };
}

test("MaxUnavailableStatefulSet: an update replaces as many pods at a time as the set says", async () => {
  const { create, change, images, settled, makeReady, gauges, client } = await openCluster(true);
  const { spec: stored } = await create({ maxUnavailable: "40%" });
  expect(gauges()).toEqual(["max_unavailable 2", "unavailable_replicas 0"]);
  expect(stored.updateStrategy.rollingUpdate).toEqual({ partition: 0, maxUnavailable: "40%" });
  await change({ template: template("v2") });
  await settled();
  const afterTwo = ["web-0 v1", "web-1 v1", "web-2 v1", "web-3 v2", "web-4 v2"];
  expect(await images()).toEqual(afterTwo);
  expect(gauges()).toEqual(["max_unavailable 2", "unavailable_replicas 2"]);
  await makeReady();
  expect(await images()).toEqual(["web-0 v1", "web-1 v2", "web-2 v2", "web-3 v2", "web-4 v2"]);
  await client.delete(StatefulSet, { name: "web" });
  await settled();
  expect(gauges()).toEqual([]);
});

test("MaxUnavailableStatefulSet: the field is 1 by default, and a change of it is a new generation", async () => {
  const { create, change } = await openCluster(true);
  const { spec: stored } = await create({});
  expect(stored.updateStrategy.rollingUpdate).toEqual({ partition: 0, maxUnavailable: 1 });
  const rollingUpdate = { maxUnavailable: 2 };
  const changed = await change({ updateStrategy: { rollingUpdate } });
  expect(changed.spec.updateStrategy.rollingUpdate).toEqual({ partition: 0, maxUnavailable: 2 });
  expect(changed.metadata.generation).toBe(2);
  expect((await change({ replicas: 5 })).metadata.generation).toBe(2);
});

test("MaxUnavailableStatefulSet: without it the field is dropped, and pods are replaced one by one", async () => {
  const { create, change, images, settled } = await openCluster(false);
  const { spec: stored } = await create({ maxUnavailable: 2 });
  expect(stored.updateStrategy.rollingUpdate).toEqual({ partition: 0 });
  await change({ template: template("v2") });
  await settled();
  expect((await images()).filter((one) => one.endsWith("v2"))).toEqual(["web-4 v2"]);
});
