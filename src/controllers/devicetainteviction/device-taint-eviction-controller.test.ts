import { expect, onTestFinished, test } from "vitest";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { Event } from "../../api/events/v1/event.ts";
import { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import { ResourceSlice } from "../../api/resource/v1/resource-slice.ts";
import { DeviceTaintRule } from "../../api/resource/v1beta2/device-taint-rule.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import { accountedCluster } from "../accounted-cluster.test-support.ts";
import { partsOf } from "../running.test-support.ts";
import { deviceTaintEvictionModule } from "./device-taint-eviction-module.ts";

const namespace = "default";

/** A cluster with a pod on a node, whose claim has a device and tolerates taints for so many seconds. */
async function start(tolerationSeconds?: number, features: readonly string[] = []) {
  const runtimeConfig = { "resource.k8s.io/v1beta2": true };
  const cluster = await accountedCluster(
    { runnables: partsOf(deviceTaintEvictionModule, { inputs: { features: new Set(features) } }) },
    await startCluster({
      ...{ clock: "virtual", namespace: "default", features },
      ...(features.length > 0 && { runtimeConfig }),
    }),
  );
  onTestFinished(() => cluster.end());
  const { client, settled } = cluster;
  const spec = {
    nodeName: "n",
    driver: "d.example.com",
    pool: { name: "p", generation: 1, resourceSliceCount: 1 },
  };
  await client.create(ResourceSlice, {
    metadata: { name: "s" },
    spec: { ...spec, devices: [{ name: "x" }] },
  });
  const pod = await client.create(Pod, {
    metadata: { name: "web", namespace },
    spec: {
      nodeName: "n",
      containers: [{ name: "c", image: "i" }],
      resourceClaims: [{ name: "own", resourceClaimName: "claim" }],
    },
  });
  await client.create(ResourceClaim, {
    metadata: { name: "claim", namespace },
    spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "gpu" } }] } },
  });
  const tolerations =
    tolerationSeconds === undefined
      ? []
      : [{ operator: "Exists", effect: "NoExecute", tolerationSeconds }];
  const results = [{ request: "r", driver: "d.example.com", pool: "p", device: "x", tolerations }];
  const reservedFor = [{ resource: "pods", name: "web", uid: pod.metadata.uid }];
  await client.patch(
    ResourceClaim,
    { namespace, name: "claim" },
    { merge: { status: { allocation: { devices: { results } }, reservedFor } } },
    { subresource: "status" },
  );
  const setTaints = async (...effects: string[]) => {
    const taints = effects.map((effect) => ({ key: "broken", effect }));
    const devices = [{ name: "x", taints }];
    await client.patch(ResourceSlice, { name: "s" }, { merge: { spec: { devices } } });
    await settled();
  };
  const found = async () => (await client.list(Pod, { namespace })).items[0];
  const notes = async () => (await client.list(Event, { namespace })).items.map(({ note }) => note);
  return { ...cluster, setTaints, found, notes };
}

test("a pod is evicted when its device is tainted, with the reason in its status", async () => {
  const { setTaints, found, notes, advance } = await start();
  await setTaints("NoSchedule");
  expect((await found())?.metadata.deletionTimestamp).toBeUndefined();
  await setTaints("NoExecute");
  const pod = await found();
  expect(pod?.metadata.deletionTimestamp).toBeDefined();
  expect(pod?.status.conditions).toContainEqual(
    expect.objectContaining({
      type: "DisruptionTarget",
      status: "True",
      reason: "DeletionByDeviceTaintManager",
      message: "Device Taint manager: deleting due to NoExecute taint",
    }),
  );
  await advance("1s");
  expect(await notes()).toEqual(["Marking for deletion"]);
});

test("a tolerated taint evicts after its time, unless it is removed before", async () => {
  const { setTaints, found, notes, advance } = await start(60);
  await setTaints("NoExecute");
  await advance("30s");
  await setTaints();
  await advance("30m");
  expect((await found())?.metadata.deletionTimestamp).toBeUndefined();
  expect(await notes()).toEqual(["Cancelling deletion"]);
  await setTaints("NoExecute");
  await advance("59s");
  expect((await found())?.metadata.deletionTimestamp).toBeUndefined();
  await advance("1s");
  expect((await found())?.metadata.deletionTimestamp).toBeDefined();
});

test("a rule evicts the pods whose devices it taints, and says how far that is", async () => {
  const { client, found, advance, settled } = await start(60, ["DRADeviceTaintRules"]);
  const name = "r";
  const condition = async () => {
    await settled();
    const { status } = await client.get(DeviceTaintRule, { name });
    const [one] = status.conditions ?? [];
    return one && [one.status, one.reason, one.message, one.observedGeneration];
  };
  const taint = { key: "broken", effect: "None" };
  await client.create(DeviceTaintRule, {
    metadata: { name },
    spec: { deviceSelector: { driver: "d.example.com" }, taint },
  });
  expect(await condition()).toEqual([
    "False",
    "NoEffect",
    "1 published device selected. 1 allocated device selected. 1 pod would be evicted in 1 namespace if the effect was NoExecute. This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.",
    1,
  ]);
  await client.patch(
    DeviceTaintRule,
    { name },
    { merge: { spec: { taint: { effect: "NoExecute" } } } },
  );
  expect(await condition()).toEqual([
    "True",
    "PodsPendingEviction",
    "1 pod needs to be evicted in 1 namespace.",
    2,
  ]);
  await advance("59s");
  expect((await found())?.metadata.deletionTimestamp).toBeUndefined();
  await advance("1s");
  expect((await found())?.metadata.deletionTimestamp).toBeDefined();
  await advance("10s");
  expect(await condition()).toEqual([
    "False",
    "Completed",
    "1 pod evicted since starting the controller.",
    2,
  ]);
});
