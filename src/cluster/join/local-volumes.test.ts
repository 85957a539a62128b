import { afterEach, expect, test } from "vitest";
import { Event } from "../../api/core/v1/event/event.ts";
import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { StorageClass } from "../../api/storage/v1/storage-class.ts";
import {
  type AccountedCluster,
  accountedCluster,
} from "../../controllers/accounted-cluster.test-support.ts";
import { ephemeralVolumeModule } from "../../controllers/ephemeralvolume/ephemeral-volume-module.ts";
import { localVolumesModule } from "../../controllers/localvolumes/local-volumes-module.ts";
import { persistentVolumeBinderModule } from "../../controllers/persistentvolumebinder/persistent-volume-binder-module.ts";
import { pvcProtectionModule } from "../../controllers/pvcprotection/pvc-protection-module.ts";
import { pvProtectionModule } from "../../controllers/pvprotection/pv-protection-module.ts";
import { partsOf, type RunningCluster, runningOn } from "../../controllers/running.test-support.ts";
import { addNode } from "../../scheduler/cluster.test-support.ts";
import { createScheduler } from "../../scheduler/scheduler.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import { ensureLocalVolumes } from "./ensure-local-volumes.ts";

let cluster: AccountedCluster;
let scheduler: RunningCluster;
afterEach(async () => {
  await cluster.stop();
  await scheduler.end();
});

const modules = [
  persistentVolumeBinderModule,
  pvcProtectionModule,
  pvProtectionModule,
  ephemeralVolumeModule,
  localVolumesModule,
];

async function start(): Promise<void> {
  const base = await startCluster({ clock: "virtual", namespace: "default" });
  await ensureLocalVolumes(base.client);
  cluster = await accountedCluster({ runnables: modules.flatMap((one) => partsOf(one)) }, base);
  scheduler = await runningOn(base, createScheduler());
  for (const name of ["n1", "n2"]) await addNode(cluster.client, name);
}

const createClaim = (name: string, spec: object = {}) =>
  cluster.client.create(PersistentVolumeClaim, {
    metadata: { name },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      ...spec,
    },
  });
const createPod = (name: string, volume: object, spec: object = {}) =>
  cluster.client.create(Pod, {
    metadata: { name },
    spec: {
      containers: [{ name: "c", image: "app:1" }],
      volumes: [{ name: "v", ...volume }],
      ...spec,
    },
  });
const using = (claimName: string) => ({ persistentVolumeClaim: { claimName } });
const claim = (name: string) => cluster.client.get(PersistentVolumeClaim, { name });
const nodeOf = async (name: string) => (await cluster.client.get(Pod, { name })).spec.nodeName;
const volumes = async () => (await cluster.client.list(PersistentVolume)).items;

test("a claim gets a volume on the node of its first pod, and later pods follow it", async () => {
  await start();
  await createClaim("c");
  await cluster.settled();
  expect((await claim("c")).spec.storageClassName).toBe("standard");
  expect((await claim("c")).status.phase).toBe("Pending");
  await createPod("p", using("c"));
  await cluster.settled();
  const node = await nodeOf("p");
  expect(node).toMatch(/^n[12]$/);
  const { metadata, spec, status } = await claim("c");
  expect(status).toMatchObject({ phase: "Bound", capacity: { storage: "1Gi" } });
  expect(metadata.annotations?.["volume.kubernetes.io/selected-node"]).toBe(node);
  const [volume] = await volumes();
  expect(volume).toMatchObject({
    metadata: { name: spec.volumeName, annotations: { "wherry.io/node": node } },
    spec: { local: { path: `/var/lib/wherry/volumes/${spec.volumeName}` } },
    status: { phase: "Bound" },
  });
  await createPod("q", using("c"));
  await cluster.settled();
  expect(await nodeOf("q")).toBe(node);
});

test("the volume goes with its claim, once no pod uses it", async () => {
  await start();
  await createClaim("c");
  await createPod("p", using("c"));
  await cluster.settled();
  await cluster.client.delete(PersistentVolumeClaim, { name: "c" });
  await cluster.settled();
  expect(await volumes()).toHaveLength(1);
  await cluster.client.delete(Pod, { name: "p" }, { gracePeriodSeconds: 0 });
  await cluster.settled();
  expect(await volumes()).toEqual([]);
});

test("a volume with data waits for its node, until the node is gone", async () => {
  await start();
  await createClaim("c");
  await createPod("p", using("c"));
  await cluster.settled();
  const name = (await claim("c")).spec.volumeName ?? "";
  const finalizers = ["kubernetes.io/pv-protection", "wherry.io/local-data"];
  const merge = { metadata: { finalizers } };
  await cluster.client.patch(PersistentVolume, { name }, { merge });
  await cluster.client.delete(PersistentVolumeClaim, { name: "c" });
  const node = (await nodeOf("p")) ?? "";
  await cluster.client.delete(Pod, { name: "p" }, { gracePeriodSeconds: 0 });
  await cluster.settled();
  const [volume] = await volumes();
  expect(volume?.metadata.finalizers).toEqual(["wherry.io/local-data"]);
  await cluster.client.delete(Node, { name: node });
  await cluster.settled();
  expect(await volumes()).toEqual([]);
});

test("an ephemeral volume has a claim of its pod", async () => {
  await start();
  const volumeClaimTemplate = {
    metadata: { labels: { a: "b" } },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  };
  await createPod("p", { ephemeral: { volumeClaimTemplate } });
  await cluster.advance("30s");
  const { metadata, status } = await claim("p-v");
  expect(metadata).toMatchObject({
    labels: { a: "b" },
    ownerReferences: [{ kind: "Pod", name: "p", controller: true, blockOwnerDeletion: true }],
  });
  expect(status.phase).toBe("Bound");
  expect(await nodeOf("p")).toMatch(/^n[12]$/);
});

test("what a folder of one node cannot do is said in an event", async () => {
  await start();
  await createClaim("c", { accessModes: ["ReadWriteMany"] });
  await createPod("p", using("c"));
  await cluster.settled();
  const { items } = await cluster.client.list(Event, { namespace: "default" });
  expect(items.map(({ message }) => message)).toContain(
    'failed to provision volume with StorageClass "standard": access mode ReadWriteMany is not supported: the volume is a folder of one node',
  );
  expect(await volumes()).toEqual([]);
});

test("of two pods that want the only volume of a class, one gets it", async () => {
  await start();
  await cluster.client.create(StorageClass, {
    metadata: { name: "static" },
    provisioner: "kubernetes.io/no-provisioner",
    volumeBindingMode: "WaitForFirstConsumer",
  });
  const matchExpressions = [{ key: "kubernetes.io/hostname", operator: "In", values: ["n2"] }];
  await cluster.client.create(PersistentVolume, {
    metadata: { name: "disk" },
    spec: {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      local: { path: "/disk" },
      storageClassName: "static",
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
    },
  });
  for (const name of ["a", "b"]) {
    await createClaim(name, { storageClassName: "static" });
    await createPod(name, using(name));
  }
  await cluster.settled();
  const nodes = [await nodeOf("a"), await nodeOf("b")];
  expect(nodes.toSorted()).toEqual(["n2", undefined]);
  const waiting = nodes[0] ? "b" : "a";
  const { status } = await cluster.client.get(Pod, { name: waiting });
  expect(status.conditions?.[0]?.message).toBe(
    "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
  );
});
