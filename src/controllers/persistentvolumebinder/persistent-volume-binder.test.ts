import { afterEach, expect, test } from "vitest";
import { Event } from "../../api/core/v1/event/event.ts";
import { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { StorageClass } from "../../api/storage/v1/storage-class.ts";
import { type AccountedCluster, accountedCluster } from "../accounted-cluster.test-support.ts";
import { pvcProtectionModule } from "../pvcprotection/pvc-protection-module.ts";
import { pvProtectionModule } from "../pvprotection/pv-protection-module.ts";
import { partsOf } from "../running.test-support.ts";
import { persistentVolumeBinderModule } from "./persistent-volume-binder-module.ts";

let cluster: AccountedCluster;
afterEach(() => cluster.end());
const start = async (): Promise<void> => {
  const modules = [persistentVolumeBinderModule, pvcProtectionModule, pvProtectionModule];
  cluster = await accountedCluster({ runnables: modules.flatMap((one) => partsOf(one)) });
};

const createVolume = (name: string, spec: object = {}) =>
  cluster.client.create(PersistentVolume, {
    metadata: { name },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      hostPath: { path: "/x" },
      storageClassName: "m",
      ...spec,
    },
  });
const createClaim = (name: string, spec: object = {}) =>
  cluster.client.create(PersistentVolumeClaim, {
    metadata: { name },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      storageClassName: "m",
      ...spec,
    },
  });
const volume = (name: string) => cluster.client.get(PersistentVolume, { name });
const claim = (name: string) => cluster.client.get(PersistentVolumeClaim, { name });
const eventsOf = async (name: string): Promise<readonly (string | undefined)[]> => {
  const { items } = await cluster.client.list(Event, { namespace: "default" });
  return items
    .filter(({ involvedObject }) => involvedObject.name === name)
    .map(({ reason, message }) => `${reason}: ${message}`);
};

test("two claims get the smallest volumes, and a third the one that is created later", async () => {
  await start();
  await createVolume("large", { capacity: { storage: "5Gi" } });
  await createVolume("small");
  for (const name of ["a", "b", "c"]) await createClaim(name);
  await cluster.settled();
  const names = async () =>
    Promise.all(["a", "b", "c"].map(async (name) => (await claim(name)).spec.volumeName));
  expect(new Set(await names())).toEqual(new Set(["large", "small", undefined]));
  await createVolume("late");
  await cluster.settled();
  expect(new Set(await names())).toEqual(new Set(["large", "small", "late"]));
  const { status } = await claim("a");
  expect(status).toMatchObject({ phase: "Bound", accessModes: ["ReadWriteOnce"] });
  // Claims that are bound cost nothing.
  const { length } = cluster.writes;
  await cluster.advance("1h");
  expect(cluster.writes.length).toBe(length);
});

test("a volume is released with its claim, and never given to a claim of the same name", async () => {
  await start();
  await createVolume("v");
  await createClaim("c");
  await cluster.settled();
  expect((await volume("v")).status.phase).toBe("Bound");
  await cluster.client.delete(PersistentVolumeClaim, { name: "c" });
  await cluster.settled();
  expect((await volume("v")).status.phase).toBe("Released");
  await createClaim("c");
  await cluster.settled();
  expect((await claim("c")).status.phase).toBe("Pending");
  await cluster.client.delete(PersistentVolume, { name: "v" });
  await cluster.settled();
  await expect(volume("v")).rejects.toThrow("not found");
});

test("a volume that is reserved for a claim is bound to no other", async () => {
  await start();
  await createVolume("v", { claimRef: { namespace: "default", name: "mine" } });
  await createClaim("other");
  await createClaim("named", { volumeName: "v" });
  await cluster.settled();
  expect((await volume("v")).status.phase).toBe("Available");
  expect(await eventsOf("named")).toEqual([
    'FailedBinding: volume "v" already bound to a different claim.',
  ]);
  await createClaim("mine");
  await cluster.settled();
  expect((await claim("mine")).spec.volumeName).toBe("v");
  expect((await volume("v")).metadata.annotations).toBeUndefined();
});

test("a claim whose volume disappears is lost, and found again with its volume", async () => {
  await start();
  await createVolume("v");
  await createClaim("c");
  await cluster.settled();
  const { metadata, spec } = await volume("v");
  await cluster.client.delete(PersistentVolume, { name: "v" });
  const merge = { metadata: { finalizers: null } };
  await cluster.client.patch(PersistentVolume, { name: "v" }, { merge });
  await cluster.settled();
  expect((await claim("c")).status.phase).toBe("Lost");
  expect(await eventsOf("c")).toEqual([
    "ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!",
  ]);
  const { annotations } = metadata;
  await cluster.client.create(PersistentVolume, { metadata: { name: "v", annotations }, spec });
  await cluster.settled();
  expect((await claim("c")).status.phase).toBe("Bound");
});

test("a class that waits for a pod leaves the claim to the scheduler, then to its provisioner", async () => {
  await start();
  await cluster.client.create(StorageClass, {
    metadata: {
      name: "later",
      annotations: { "storageclass.kubernetes.io/is-default-class": "true" },
    },
    provisioner: "example.com/p",
    volumeBindingMode: "WaitForFirstConsumer",
  });
  await createVolume("free", { storageClassName: "later" });
  await createClaim("c", { storageClassName: "later" });
  await cluster.settled();
  expect(await eventsOf("c")).toEqual([
    "WaitForFirstConsumer: waiting for first consumer to be created before binding",
  ]);
  const annotations = { "volume.kubernetes.io/selected-node": "n" };
  await cluster.client.patch(
    PersistentVolumeClaim,
    { name: "c" },
    { merge: { metadata: { annotations } } },
  );
  await cluster.settled();
  expect((await claim("c")).metadata.annotations).toMatchObject({
    "volume.beta.kubernetes.io/storage-provisioner": "example.com/p",
    "volume.kubernetes.io/storage-provisioner": "example.com/p",
  });
  expect(await eventsOf("c")).toContain(
    "ExternalProvisioning: Waiting for a volume to be created either by the external provisioner 'example.com/p' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.",
  );
});

test("a claim without a class gets the default class once there is one", async () => {
  await start();
  await createClaim("c", { storageClassName: undefined });
  await cluster.settled();
  expect(await eventsOf("c")).toEqual([
    "FailedBinding: no persistent volumes available for this claim and no storage class is set",
  ]);
  await cluster.client.create(StorageClass, {
    metadata: {
      name: "d",
      annotations: { "storageclass.kubernetes.io/is-default-class": "true" },
    },
    provisioner: "example.com/p",
  });
  await cluster.settled();
  expect((await claim("c")).spec.storageClassName).toBe("d");
});
