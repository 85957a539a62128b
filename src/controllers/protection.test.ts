import { afterEach, expect, test } from "vitest";
import { each } from "../../test/each.ts";
import { Pod } from "../api/core/v1/pod/pod.ts";
import { PersistentVolume } from "../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../api/core/v1/volume/persistent-volume-claim.ts";
import { VolumeAttributesClass } from "../api/storage/v1/volume-attributes-class.ts";
import { ignoreNotFound } from "../client/ignore-not-found.ts";
import type { KubernetesObject, ObjectKey, ResourceKind } from "../client/resource-kind.ts";
import { type AccountedCluster, accountedCluster } from "./accounted-cluster.test-support.ts";
import { protectionStep } from "./protection.ts";
import { pvcProtectionModule } from "./pvcprotection/pvc-protection-module.ts";
import { pvProtectionModule } from "./pvprotection/pv-protection-module.ts";
import { partsOf } from "./running.test-support.ts";
import { vacProtectionModule } from "./vacprotection/vac-protection-module.ts";

const deletionTimestamp = "2026-01-01T00:00:00Z";
each<[metadata: object, step: string | undefined]>([
  [{ finalizers: ["f"] }, undefined],
  [{}, "add"],
  [{ finalizers: ["other"] }, "add"],
  [{ finalizers: ["f"], deletionTimestamp }, "remove if unused"],
  [{ finalizers: ["other"], deletionTimestamp }, undefined],
])("protectionStep: %j needs %s", (metadata, step) => {
  expect(protectionStep({ metadata } as KubernetesObject, "f")).toBe(step);
});

let cluster: AccountedCluster;
let running: AccountedCluster | undefined;
afterEach(async () => {
  await running?.end();
  running = undefined;
});
const start = async (): Promise<void> => {
  const modules = [pvcProtectionModule, pvProtectionModule, vacProtectionModule];
  running = cluster = await accountedCluster({ runnables: modules.flatMap((one) => partsOf(one)) });
};
const exists = async <O>(kind: ResourceKind<O>, key: ObjectKey): Promise<boolean> =>
  (await ignoreNotFound(cluster.client.get(kind, key))) !== undefined;

const claimSpec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const container = { name: "c", image: "app:1" };

test("a claim stays until the last pod on a node that uses it is gone", async () => {
  await start();
  const key = { name: "c" };
  await cluster.client.create(PersistentVolumeClaim, { metadata: key, spec: claimSpec });
  const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "c" } }];
  for (const [name, nodeName] of [
    ["a", "n"],
    ["b", "n"],
    ["waits", undefined],
  ] as const)
    await cluster.client.create(Pod, {
      metadata: { name },
      spec: { containers: [container], volumes, ...(nodeName && { nodeName }) },
    });
  await cluster.client.delete(PersistentVolumeClaim, key);
  await cluster.settled();
  expect(await exists(PersistentVolumeClaim, key)).toBe(true);
  await cluster.client.delete(Pod, { name: "a" }, { gracePeriodSeconds: 0 });
  await cluster.settled();
  expect(await exists(PersistentVolumeClaim, key)).toBe(true);
  await cluster.client.delete(Pod, { name: "b" }, { gracePeriodSeconds: 0 });
  await cluster.settled();
  expect(await exists(PersistentVolumeClaim, key)).toBe(false);
});

test("objects that lack the finalizer get it", async () => {
  await start();
  const key = { name: "c" };
  await cluster.client.create(PersistentVolumeClaim, { metadata: key, spec: claimSpec });
  const merge = { metadata: { finalizers: null } };
  await cluster.client.patch(PersistentVolumeClaim, key, { merge });
  await cluster.settled();
  const { metadata } = await cluster.client.get(PersistentVolumeClaim, key);
  expect(metadata.finalizers).toEqual(["kubernetes.io/pvc-protection"]);
});

const volumeSpec = {
  capacity: { storage: "1Gi" },
  accessModes: ["ReadWriteOnce"],
  hostPath: { path: "/x" },
  volumeAttributesClassName: "gold",
};

test("a volume stays while it is bound", async () => {
  await start();
  const key = { name: "v" };
  const { volumeAttributesClassName: _, ...spec } = volumeSpec;
  await cluster.client.create(PersistentVolume, { metadata: key, spec });
  const setPhase = (phase: string) =>
    cluster.client.patch(
      PersistentVolume,
      key,
      { merge: { status: { phase } } },
      { subresource: "status" },
    );
  await setPhase("Bound");
  await cluster.client.delete(PersistentVolume, key);
  await cluster.settled();
  expect(await exists(PersistentVolume, key)).toBe(true);
  await setPhase("Released");
  await cluster.settled();
  expect(await exists(PersistentVolume, key)).toBe(false);
});

test("an attributes class stays while a claim or a volume has it", async () => {
  await start();
  const key = { name: "gold" };
  await cluster.client.create(VolumeAttributesClass, {
    metadata: key,
    driverName: "d.example.com",
    parameters: { tier: "gold" },
  });
  const csi = { driver: "d.example.com", volumeHandle: "h" };
  const { hostPath: _, ...spec } = volumeSpec;
  await cluster.client.create(PersistentVolume, {
    metadata: { name: "v" },
    spec: { ...spec, csi },
  });
  const claim = {
    metadata: { name: "c" },
    spec: { ...claimSpec, volumeAttributesClassName: "gold" },
  };
  await cluster.client.create(PersistentVolumeClaim, claim);
  await cluster.client.delete(VolumeAttributesClass, key);
  await cluster.client.delete(PersistentVolume, { name: "v" });
  await cluster.settled();
  expect(await exists(VolumeAttributesClass, key)).toBe(true);
  await cluster.client.delete(PersistentVolumeClaim, { name: "c" });
  await cluster.settled();
  expect(await exists(VolumeAttributesClass, key)).toBe(false);
});
