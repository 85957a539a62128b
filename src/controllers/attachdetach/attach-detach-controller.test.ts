import { afterEach, beforeEach, expect, test } from "vitest";
import { Event } from "../../api/core/v1/event/event.ts";
import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { attachmentName, csiUniqueName } from "../../api/core/v1/volume/csi-volume-key.ts";
import { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { CSIDriver } from "../../api/storage/v1/csi-driver.ts";
import { VolumeAttachment } from "../../api/storage/v1/volume-attachment.ts";
import { type AccountedCluster, accountedCluster } from "../accounted-cluster.test-support.ts";
import { partsOf } from "../running.test-support.ts";
import { attachDetachModule } from "./attach-detach-module.ts";

let cluster: AccountedCluster;
const start = async (values: object = {}): Promise<void> => {
  cluster = await accountedCluster({
    runnables: partsOf(attachDetachModule, { values: { ...values } }),
  });
  for (const name of ["a", "b"]) await createNode(name);
};
beforeEach(() => start());
afterEach(() => cluster.end());

const driver = "csi.example.com";
const uniqueName = csiUniqueName({ driver, handle: "h" });
const annotations = { "volumes.kubernetes.io/controller-managed-attach-detach": "true" };

const createNode = (name: string, metadata: object = { annotations }) =>
  cluster.client.create(Node, {
    metadata: { name, ...metadata },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  } as never);
const saysOfNode = (name: string, status: object) =>
  cluster.client.patch(Node, { name }, { merge: { status } as never }, { subresource: "status" });
const inUse = (name: string, ...volumesInUse: string[]) => saysOfNode(name, { volumesInUse });

/** A volume of the driver that is bound to the claim of its name. */
async function bind(name: string, spec: object = {}): Promise<void> {
  const common = { accessModes: ["ReadWriteOnce"], storageClassName: "" };
  const claim = await cluster.client.create(PersistentVolumeClaim, {
    metadata: { name },
    spec: { ...common, ...spec, volumeName: name, resources: { requests: { storage: "1Gi" } } },
  } as never);
  await cluster.client.create(PersistentVolume, {
    metadata: { name },
    spec: {
      ...{ ...common, ...spec, capacity: { storage: "1Gi" } },
      csi: { driver, volumeHandle: "h" },
      claimRef: { namespace: "default", name, uid: claim.metadata.uid },
    },
  } as never);
  await cluster.client.update(
    PersistentVolumeClaim,
    { ...claim, status: { phase: "Bound" } } as never,
    { subresource: "status" },
  );
}
const createPod = (name: string, nodeName: string, claimName = "v") =>
  cluster.client.create(Pod, {
    metadata: { name },
    spec: {
      nodeName,
      containers: [{ name: "c", image: "app:1" }],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName } }],
    },
  });
const removePod = (name: string) =>
  cluster.client.delete(Pod, { name }, { gracePeriodSeconds: 0 } as never);
const attachments = async (): Promise<readonly string[]> => {
  await cluster.settled();
  const { items } = await cluster.client.list(VolumeAttachment);
  return items.map(({ spec }) => spec.nodeName).sort();
};
const attacherSays = async (nodeName: string, status: object): Promise<void> => {
  const key = { name: attachmentName({ driver, handle: "h" }, nodeName) };
  const found = await cluster.client.get(VolumeAttachment, key);
  const changed = { ...found, status: { attached: false, ...status } };
  await cluster.client.update(VolumeAttachment, changed as never, { subresource: "status" });
  await cluster.settled();
};
const attached = async (name: string): Promise<readonly unknown[]> => {
  await cluster.settled();
  return (await cluster.client.get(Node, { name })).status.volumesAttached ?? [];
};
const eventsOf = async (name: string): Promise<readonly string[]> => {
  await cluster.advance("1s");
  const { items } = await cluster.client.list(Event, { namespace: "default" });
  return items
    .filter(({ involvedObject }) => involvedObject.name === name)
    .map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
};

test("a volume is attached for a pod, told, and detached once the node does not use it any more", async () => {
  await bind("v");
  await createPod("p", "a");
  await cluster.settled();
  const [attachment] = (await cluster.client.list(VolumeAttachment)).items;
  expect(attachment).toMatchObject({
    metadata: { name: attachmentName({ driver, handle: "h" }, "a") },
    spec: { attacher: driver, nodeName: "a", source: { persistentVolumeName: "v" } },
  });
  expect(await attached("a")).toEqual([]);
  await inUse("a", uniqueName);
  await attacherSays("a", { attached: true });
  expect(await attached("a")).toEqual([{ name: uniqueName, devicePath: "" }]);
  expect(await eventsOf("p")).toEqual([
    'Normal SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "v" ',
  ]);
  // What is attached costs nothing.
  const { length } = cluster.writes;
  await cluster.advance("1h");
  expect(cluster.writes.length).toBe(length);
  await removePod("p");
  expect(await attachments()).toEqual(["a"]);
  await inUse("a");
  expect(await attachments()).toEqual([]);
  expect(await attached("a")).toEqual([]);
});

test("a volume of one node waits until the other node has lost it, and the pod says why", async () => {
  await bind("v");
  await createPod("first", "a");
  await cluster.settled();
  await createPod("second", "b");
  expect(await attachments()).toEqual(["a"]);
  await inUse("a", uniqueName);
  await attacherSays("a", { attached: true });
  expect(await eventsOf("second")).toEqual([
    'Warning FailedAttachVolume: Waiting for detach for volume "v" Volume is already used by pod(s) first',
  ]);
  await removePod("first");
  await createPod("third", "b");
  await inUse("a");
  expect(await attachments()).toEqual(["b"]);
  expect(await attached("a")).toEqual([]);
});

test("a volume that many nodes can have is attached to all of them", async () => {
  await bind("v", { accessModes: ["ReadWriteMany"] });
  await createPod("first", "a");
  await createPod("second", "b");
  expect(await attachments()).toEqual(["a", "b"]);
});

test("what the attacher fails at is told at once, then less and less often", async () => {
  await bind("v");
  await createPod("p", "a");
  await cluster.settled();
  await attacherSays("a", { attachError: { time: "2026-01-01T00:00:00Z", message: "no space" } });
  const note = 'Warning FailedAttachVolume: AttachVolume.Attach failed for volume "v" : no space';
  expect(await eventsOf("p")).toEqual([note]);
  await attacherSays("a", { attached: true });
  expect(await eventsOf("p")).toEqual([
    note,
    'Normal SuccessfulAttachVolume: AttachVolume.Attach succeeded for volume "v" ',
  ]);
});

test("an attacher that says nothing is missed after two minutes", async () => {
  await bind("v");
  await createPod("p", "a");
  await cluster.advance("118s");
  expect(await eventsOf("p")).toEqual([]);
  await cluster.advance("2s");
  expect(await eventsOf("p")).toEqual([
    `Warning FailedAttachVolume: AttachVolume.Attach failed for volume "v" : timed out waiting for external-attacher of ${driver} CSI driver to attach volume h`,
  ]);
});

test("a node that is not ready loses its volumes after six minutes", async () => {
  await bind("v");
  await createPod("p", "a");
  await cluster.settled();
  await inUse("a", uniqueName);
  await attacherSays("a", { attached: true });
  await removePod("p");
  await saysOfNode("a", { conditions: [{ type: "Ready", status: "Unknown" }] });
  await cluster.advance("359s");
  expect(await attachments()).toEqual(["a"]);
  await cluster.advance("2s");
  expect(await attachments()).toEqual([]);
});

test("without force, only the taint out-of-service takes a volume from a node that says nothing", async () => {
  await cluster.end();
  await start({ "disable-force-detach-on-timeout": true });
  await bind("v");
  await createPod("p", "a");
  await cluster.settled();
  await inUse("a", uniqueName);
  await attacherSays("a", { attached: true });
  await saysOfNode("a", { conditions: [{ type: "Ready", status: "Unknown" }] });
  await removePod("p");
  await cluster.advance("1h");
  expect(await attachments()).toEqual(["a"]);
  const taints = [{ key: "node.kubernetes.io/out-of-service", effect: "NoExecute" }];
  await cluster.client.patch(Node, { name: "a" }, { merge: { spec: { taints } } as never });
  expect(await attachments()).toEqual([]);
  expect(await attached("a")).toEqual([]);
});

test("a node that is deleted loses what it used after six minutes", async () => {
  await bind("v");
  await createPod("p", "a");
  await cluster.settled();
  await inUse("a", uniqueName);
  await attacherSays("a", { attached: true });
  await cluster.client.delete(Node, { name: "a" });
  await cluster.advance("10m");
  expect(await attachments()).toEqual(["a"]);
  await removePod("p");
  expect(await attachments()).toEqual(["a"]);
  await cluster.advance("361s");
  expect(await attachments()).toEqual([]);
});

test("volumes that need no attachment, and nodes that attach themselves, are left alone", async () => {
  await createNode("own", {});
  await bind("v");
  await createPod("own", "own");
  expect(await attachments()).toEqual([]);
  const object = { metadata: { name: driver }, spec: { attachRequired: false } };
  await cluster.client.create(CSIDriver, object);
  await createPod("p", "a");
  expect(await attachments()).toEqual([]);
});

test("a controller that starts anew knows what is attached, and detaches what nobody needs", async () => {
  await bind("v");
  await createPod("p", "a");
  await cluster.settled();
  await inUse("a", uniqueName);
  await attacherSays("a", { attached: true });
  await cluster.stop();
  await removePod("p");
  await inUse("a");
  cluster = await accountedCluster({ runnables: partsOf(attachDetachModule) }, cluster);
  expect(await attachments()).toEqual([]);
  expect(await attached("a")).toEqual([]);
});
