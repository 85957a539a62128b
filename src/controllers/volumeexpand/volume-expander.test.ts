import { afterEach, beforeEach, expect, test } from "vitest";
import { Event } from "../../api/core/v1/event/event.ts";
import { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { StorageClass } from "../../api/storage/v1/storage-class.ts";
import { type AccountedCluster, accountedCluster } from "../accounted-cluster.test-support.ts";
import { persistentVolumeBinderModule } from "../persistentvolumebinder/persistent-volume-binder-module.ts";
import { partsOf } from "../running.test-support.ts";
import { volumeExpanderModule } from "./volume-expander-module.ts";

let cluster: AccountedCluster;
beforeEach(async () => {
  const modules = [persistentVolumeBinderModule, volumeExpanderModule];
  cluster = await accountedCluster({ runnables: modules.flatMap((one) => partsOf(one)) });
  await cluster.client.create(StorageClass, {
    metadata: { name: "m" },
    provisioner: "example.com/p",
    allowVolumeExpansion: true,
  });
});
afterEach(() => cluster.end());

const storageOf = (storage: string) => ({ resources: { requests: { storage } } });
async function bind(source: object, spec: object = {}): Promise<void> {
  const common = { ...spec, accessModes: ["ReadWriteOnce"], storageClassName: "m" };
  await cluster.client.create(PersistentVolume, {
    metadata: { name: "v" },
    spec: { ...common, capacity: { storage: "1Gi" }, ...source },
  } as never);
  await cluster.client.create(PersistentVolumeClaim, {
    metadata: { name: "c" },
    spec: { ...common, ...storageOf("1Gi") },
  } as never);
  await cluster.settled();
}
const request = async (size: string): Promise<void> => {
  const merge = { spec: storageOf(size) };
  await cluster.client.patch(PersistentVolumeClaim, { name: "c" }, { merge });
  await cluster.settled();
};
const claim = () => cluster.client.get(PersistentVolumeClaim, { name: "c" });
const volume = () => cluster.client.get(PersistentVolume, { name: "v" });
const events = async (): Promise<readonly string[]> => {
  await cluster.advance("1s");
  const { items } = await cluster.client.list(Event, { namespace: "default" });
  return items.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
};

test("a driver's volume is left to its resizer, and the claim says so", async () => {
  await bind({ csi: { driver: "csi.example.com", volumeHandle: "h" } });
  await request("2Gi");
  expect(await events()).toEqual([
    "Normal ExternalExpanding: waiting for an external controller to expand this PVC",
  ]);
  expect((await claim()).status.capacity).toEqual({ storage: "1Gi" });
});

test("a volume that a driver took over is left to the driver's resizer by name", async () => {
  await bind({ awsElasticBlockStore: { volumeID: "vol-1" } });
  await request("2Gi");
  expect(await events()).toEqual([
    "Normal ExternalExpanding: CSI migration enabled for kubernetes.io/aws-ebs; waiting for external resizer to expand the pvc",
  ]);
  expect((await claim()).metadata.annotations).toMatchObject({
    "volume.kubernetes.io/storage-resizer": "ebs.csi.aws.com",
  });
});

test("a volume that only its node can grow gets the size, then waits for the node", async () => {
  await bind({ flexVolume: { driver: "example.com/flex" } });
  await request("2Gi");
  expect((await volume()).spec.capacity).toEqual({ storage: "2Gi" });
  const former = "volume.alpha.kubernetes.io/pre-resize-capacity";
  expect((await volume()).metadata.annotations?.[former]).toBe("1Gi");
  const { metadata, status } = await claim();
  expect(metadata.annotations?.["volume.kubernetes.io/storage-resizer"]).toBe("example.com/flex");
  expect(status).toMatchObject({
    capacity: { storage: "1Gi" },
    allocatedResources: { storage: "2Gi" },
    allocatedResourceStatuses: { storage: "NodeResizePending" },
  });
  const conditions = status.conditions?.map(({ type, status, message }) => ({
    type,
    status,
    message,
  }));
  expect(conditions).toEqual([
    { type: "Resizing", status: "True" },
    {
      type: "FileSystemResizePending",
      status: "True",
      message:
        "Waiting for user to (re-)start a pod to finish file system resize of volume on node.",
    },
  ]);
  const { length } = cluster.writes;
  await cluster.advance("1h");
  expect(cluster.writes.length).toBe(length);
  const done = { status: { capacity: { storage: "2Gi" }, allocatedResourceStatuses: null } };
  await cluster.client.patch(
    PersistentVolumeClaim,
    { name: "c" },
    { merge: done as never },
    { subresource: "status" },
  );
  await cluster.settled();
  expect((await volume()).metadata.annotations?.[former]).toBeUndefined();
});

test("a device has its size as soon as the volume has it", async () => {
  await bind({ flexVolume: { driver: "example.com/flex" } }, { volumeMode: "Block" });
  await request("2Gi");
  const { status } = await claim();
  expect(status.capacity).toEqual({ storage: "2Gi" });
  expect(status.conditions ?? []).toEqual([]);
  expect(status.allocatedResourceStatuses ?? {}).toEqual({});
  expect(await events()).toEqual([
    "Normal VolumeResizeSuccessful: ExpandVolume succeeded for volume default/c",
  ]);
});
