import { afterEach, beforeEach, expect, test } from "vitest";
import { Pod } from "../../../api/core/v1/pod/pod.ts";
import { PersistentVolume } from "../../../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../../api/core/v1/volume/persistent-volume-claim.ts";
import { StorageClass } from "../../../api/storage/v1/storage-class.ts";
import { type SchedulingCluster, schedulingCluster } from "../../cluster.test-support.ts";

let cluster: SchedulingCluster;
beforeEach(async () => {
  cluster = await schedulingCluster();
  await cluster.node("a");
  for (const [name, provisioner] of [
    ["dynamic", "csi.example.com"],
    ["static", "kubernetes.io/no-provisioner"],
  ] as const)
    await cluster.client.create(StorageClass, {
      metadata: { name },
      provisioner,
      volumeBindingMode: "WaitForFirstConsumer",
    });
});
afterEach(() => cluster.end());

const key = { name: "c" };
const selectedNode = "volume.kubernetes.io/selected-node";
const accessModes = ["ReadWriteOnce"];

/** A pod, and its claim of a class. */
async function addPod(storageClassName: string): Promise<void> {
  await cluster.client.create(PersistentVolumeClaim, {
    metadata: key,
    spec: { accessModes, storageClassName, resources: { requests: { storage: "1Gi" } } },
  });
  const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "c" } }];
  await cluster.pod("p", { volumes });
  await cluster.settled();
}
const addVolume = (name: string, spec: object = {}) =>
  cluster.client.create(PersistentVolume, {
    metadata: { name },
    spec: {
      accessModes,
      capacity: { storage: "1Gi" },
      csi: { driver: "csi.example.com", volumeHandle: name },
      ...spec,
    },
  });
const claim = () => cluster.client.get(PersistentVolumeClaim, key);
const annotate = (annotations: Readonly<Record<string, string | null>>, spec: object = {}) =>
  cluster.client.patch(PersistentVolumeClaim, key, {
    merge: { metadata: { annotations }, spec } as never,
  });
const bindClaim = (volumeName: string) =>
  annotate({ "pv.kubernetes.io/bind-completed": "yes" }, { volumeName });
const nodeOfPod = async () => (await cluster.placement()).p;
const reasons = async () =>
  (await cluster.podEvents()).filter((event) => event.startsWith("FailedScheduling"));

test("VolumeBinding: a pod is bound once its claim is provisioned for the chosen node", async () => {
  await addPod("dynamic");
  expect((await claim()).metadata.annotations?.[selectedNode]).toBe("a");
  await cluster.advance("1m");
  expect(await nodeOfPod()).toBeUndefined();
  await addVolume("made", { storageClassName: "dynamic" });
  await bindClaim("made");
  await cluster.settled();
  expect(await nodeOfPod()).toBe("a");
  expect(await reasons()).toEqual([]);
});

test("VolumeBinding: a provisioner that gives up has the pod scheduled again", async () => {
  await addPod("dynamic");
  await annotate({ [selectedNode]: null, other: "kept" });
  await cluster.settled();
  expect(await reasons()).toEqual([
    'FailedScheduling p: running PreBind plugin "VolumeBinding": binding volumes: provisioning failed for PVC "c"',
  ]);
  await cluster.advance("10s");
  expect((await claim()).metadata.annotations?.[selectedNode]).toBe("a");
});

test("VolumeBinding: after ten minutes the pod is scheduled again", async () => {
  await addPod("dynamic");
  await cluster.advance("10m");
  expect(await reasons()).toEqual([
    'FailedScheduling p: running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded',
  ]);
  expect(await nodeOfPod()).toBeUndefined();
});

test("VolumeBinding: the pod does not go where its provisioned volume cannot be reached", async () => {
  await addPod("dynamic");
  const elsewhere = { key: "kubernetes.io/hostname", operator: "In", values: ["b"] };
  await addVolume("made", {
    storageClassName: "dynamic",
    nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [elsewhere] }] } },
  });
  await bindClaim("made");
  await cluster.settled();
  expect((await reasons()).at(0)).toBe(
    'FailedScheduling p: running PreBind plugin "VolumeBinding": binding volumes: pv "made" node affinity doesn\'t match node "a": no matching NodeSelectorTerms',
  );
  expect(await nodeOfPod()).toBeUndefined();
});

test("VolumeBinding: a volume that exists is reserved for the claim, and released ones are noticed", async () => {
  const volume = await addVolume("there", { storageClassName: "static" });
  await cluster.client.update(
    PersistentVolume,
    { ...volume, status: { phase: "Available" } },
    { subresource: "status" },
  );
  await addPod("static");
  const get = () => cluster.client.get(PersistentVolume, { name: "there" });
  expect((await get()).spec.claimRef).toMatchObject({ name: "c", namespace: "default" });
  await cluster.client.patch(
    PersistentVolume,
    { name: "there" },
    { merge: { spec: { claimRef: null } } },
  );
  await cluster.settled();
  expect(await reasons()).toEqual([
    'FailedScheduling p: running PreBind plugin "VolumeBinding": binding volumes: ClaimRef got reset for pv "there"',
  ]);
  await cluster.advance("10s");
  await bindClaim("there");
  await cluster.settled();
  expect(await nodeOfPod()).toBe("a");
});

test("VolumeBinding: nothing waits for the claims of a pod that is deleted", async () => {
  await addPod("dynamic");
  await cluster.client.delete(Pod, { name: "p" }, { gracePeriodSeconds: 0 });
  await cluster.settled();
  expect(await reasons()).toEqual([
    'FailedScheduling p: running PreBind plugin "VolumeBinding": binding volumes: pod does not exist any more: pod "p" not found',
  ]);
});

test("VolumeBinding: a claim that is deleted meanwhile has the pod scheduled again", async () => {
  await addPod("dynamic");
  await cluster.client.patch(PersistentVolumeClaim, key, {
    merge: { metadata: { finalizers: null } },
  });
  await cluster.client.delete(PersistentVolumeClaim, key);
  await cluster.settled();
  expect((await reasons()).at(-1)).toBe(
    'FailedScheduling p: running PreBind plugin "VolumeBinding": binding volumes: failed to check provisioning pvc: persistentvolumeclaims "default/c" not found',
  );
});
