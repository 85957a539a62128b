import { chmod, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { requires, testWith } from "../../../../../test/requires.ts";
import { Node } from "../../../../api/core/v1/node/node.ts";
import { Secret } from "../../../../api/core/v1/secret.ts";
import { attachmentName } from "../../../../api/core/v1/volume/csi-volume-key.ts";
import { VolumeAttachment } from "../../../../api/storage/v1/volume-attachment.ts";
import { GrpcError, grpcCodes } from "../../../../platform/grpc/grpc-error.ts";
import { mustRun, runChild } from "../../../../platform/run-child.ts";
import { claimOf, nodeName, openCsiVolumes } from "./csi-volumes.test-support.ts";

const test = testWith(requires("root"));
const staging = ["STAGE_UNSTAGE_VOLUME"] as const;
const securityContext = { fsGroup: 2000 };

test("csi volumes: files get the group of the pod, if the driver leaves that to the kubelet", async () => {
  const kubelet = await openCsiVolumes({ object: { fsGroupPolicy: "File" } });
  const file = join(kubelet.driver.content("data"), "file");
  await writeFile(file, "");
  await chmod(file, 0o600);
  await kubelet.bind("data");
  await kubelet.setUp(await kubelet.pod([claimOf("data")], { securityContext }));
  const { gid, mode } = await stat(file);
  expect([gid, mode & 0o777]).toEqual([2000, 0o660]);

  const delegated = await openCsiVolumes({
    capabilities: [...staging, "VOLUME_MOUNT_GROUP"],
    object: { fsGroupPolicy: "File" },
  });
  const { driver } = delegated;
  await delegated.bind("data");
  await delegated.setUp(await delegated.pod([claimOf("data")], { securityContext }));
  const volume_capability = { mount: { volume_mount_group: "2000" } };
  expect(driver.last("Stage")).toMatchObject({ volume_capability });
  expect(driver.last("Publish")).toMatchObject({ volume_capability });
  expect((await stat(driver.content("data"))).gid).toBe(0);
});

test("csi volumes: drivers get secrets, and tokens among them if they want", async () => {
  const object = { tokenRequests: [{ audience: "a" }], serviceAccountTokenInSecrets: true };
  const world = await openCsiVolumes({ capabilities: staging, object });
  const { driver, cluster } = world;
  for (const name of ["stage", "publish"])
    await cluster.client.create(Secret, { metadata: { name }, stringData: { key: name } });
  await world.bind("data", {
    nodeStageSecretRef: { name: "stage", namespace: "default" },
    nodePublishSecretRef: { name: "publish", namespace: "default" },
  });
  await world.setUp(await world.pod([claimOf("data", { readOnly: true })]));
  expect(driver.last("Stage")).toMatchObject({ secrets: { key: "stage" } });
  expect(driver.last("Publish")).toMatchObject({ readonly: true, volume_context: {} });
  expect(driver.last("Publish")?.secrets).toEqual({
    key: "publish",
    "csi.storage.k8s.io/serviceAccount.tokens": expect.stringMatching(/^{"a":{"token":".+"/),
  });
});

test("csi volumes: they are published again if the driver wants, and stay if that fails", async () => {
  const world = await openCsiVolumes({ object: { requiresRepublish: true } });
  const { driver, volumes, events } = world;
  await world.bind("data");
  const pod = await world.pod([claimOf("data")]);
  await world.setUp(pod);
  const again = () => volumes.setUp(pod, { isStarting: false });
  await again();
  expect(driver.called).toEqual(["Publish"]);
  world.skip(90_000);
  await again();
  expect(driver.called).toEqual(["Publish", "Publish"]);
  driver.failures.set("Publish", new GrpcError(grpcCodes.internal, "vault is sealed"));
  world.skip(90_000);
  await again();
  expect(events).toEqual([
    'FailedMount: MountVolume.SetUp failed for volume "data" : rpc error: code = Internal desc = vault is sealed',
  ]);
  expect(await world.mounted()).toHaveLength(1);
});

test("csi volumes: attachable ones wait for their attachment, while the node says that it uses them", async () => {
  const world = await openCsiVolumes({ object: null });
  const { driver, csi, cluster, changed } = world;
  const { client } = cluster;
  await world.bind("data");
  const pod = await world.pod([claimOf("data")]);
  const { uid = "" } = pod.metadata;
  const name = "kubernetes.io/csi/csi.example.com^data";
  const waits = async (message: string): Promise<void> => {
    const error = { isExpected: true, message: expect.stringContaining(message) };
    await expect(world.setUp(pod)).rejects.toMatchObject(error);
  };
  const sayOfNode = async (status: object): Promise<void> => {
    changed.length = 0;
    await client.patch(
      Node,
      { name: nodeName },
      { merge: { status } as never },
      { subresource: "status" },
    );
    await expect.poll(() => changed).toEqual([uid]);
  };
  await waits("Volume has not been added to the list of VolumesInUse");
  expect(csi.volumesInUse()).toEqual([name]);
  await sayOfNode({ volumesInUse: [name] });
  await waits("Volume not attached according to node status");
  await sayOfNode({ volumesAttached: [{ name, devicePath: "" }] });
  const fails = async (message: string): Promise<void> => {
    const error = { isExpected: false, message: expect.stringContaining(message) };
    await expect(world.setUp(pod)).rejects.toMatchObject(error);
  };
  await fails("volume data has GET error for volume attachment");
  const attachment = attachmentName({ driver: driver.name, handle: "data" }, nodeName);
  const object = await client.create(VolumeAttachment, {
    metadata: { name: attachment },
    spec: { attacher: driver.name, nodeName, source: { persistentVolumeName: "data" } },
  } as never);
  await fails(
    `MountVolume.WaitForAttach failed for volume "data" : volume data is not attached for volume attachment ${attachment}`,
  );
  const status = { attached: true, attachmentMetadata: { lun: "7" } };
  await client.update(VolumeAttachment, { ...object, status } as never, { subresource: "status" });
  await world.setUp(pod);
  expect(driver.last("Publish")).toMatchObject({ publish_context: { lun: "7" } });
  expect(csi.volumesInUse()).toEqual([name]);
  await world.volumes.tearDown(uid);
  expect(csi.volumesInUse()).toEqual([]);
});

test("csi volumes: a pod that is removed before its volume was attached does not use it", async () => {
  const world = await openCsiVolumes({ object: null });
  await world.bind("data");
  const pod = await world.pod([claimOf("data")]);
  await expect(world.setUp(pod)).rejects.toThrow();
  expect(world.csi.volumesInUse()).toHaveLength(1);
  await world.volumes.tearDown(pod.metadata.uid ?? "");
  expect(world.csi.volumesInUse()).toEqual([]);
});

test("csi volumes: the driver says what they take, if it can", async () => {
  const able = await openCsiVolumes({ capabilities: ["GET_VOLUME_STATS"] });
  await able.bind("data");
  const pod = await able.pod([claimOf("data")]);
  const { data: path } = await able.setUp(pod);
  const usageOf = (uid: string | undefined) => able.volumes.usage(uid ?? "");
  expect(Object.fromEntries(await usageOf(pod.metadata.uid))).toEqual({
    data: {
      claim: { namespace: "default", name: "data" },
      ...{ usedBytes: 70, capacityBytes: 100, availableBytes: 30 },
      ...{ inodesUsed: 7, inodes: 10, inodesFree: 3 },
    },
  });
  expect(able.driver.last("GetVolumeStats")).toEqual({ volume_id: "data", volume_path: path });
  able.driver.failures.set("GetVolumeStats", new GrpcError(grpcCodes.internal, "broken"));
  expect((await usageOf(pod.metadata.uid)).size).toBe(0);
});

test("csi volumes: block devices are mapped into the folder of the pod", async () => {
  const image = join((await openCsiVolumes()).root, "disk");
  await mustRun("truncate", ["-s", "1M", image]);
  const device = (await mustRun("losetup", ["--find", "--show", image])).trim();
  try {
    const world = await openCsiVolumes({ capabilities: staging, device });
    const { driver, root, volumes } = world;
    await world.bind("disk", {}, { volumeMode: "Block" });
    const container = {
      volumeMounts: [],
      volumeDevices: [{ name: "disk", devicePath: "/dev/xvda" }],
    };
    const pod = await world.pod([claimOf("disk")], {}, container);
    const { uid = "" } = pod.metadata;
    await volumes.setUp(pod, { isStarting: true });
    const devices = join(root, "plugins/kubernetes.io/csi/volumeDevices");
    const target = join(devices, "publish/disk", uid);
    const [found] = pod.spec.containers ?? [];
    expect(found && volumes.devices(pod, found)).toEqual([
      { containerPath: "/dev/xvda", hostPath: target, permissions: "mrw" },
    ]);
    expect((await stat(target)).isBlockDevice()).toBe(true);
    const link = join(root, "pods", uid, "volumeDevices/kubernetes.io~csi/disk");
    expect((await stat(link)).isBlockDevice()).toBe(true);
    expect(driver.last("Stage")).toMatchObject({
      ...{ volume_capability: { block: {} }, staging_target_path: join(devices, "staging/disk") },
    });
    expect(world.events).toEqual([
      `SuccessfulMountVolume: MapVolume.MapPodDevice succeeded for volume "disk" volumeMapPath "${join(link, "..")}"`,
    ]);
    await volumes.tearDown(uid);
    await expect.poll(() => world.mounted()).toEqual([]);
    await expect
      .poll(async () => (await runChild("find", [devices, "-not", "-type", "d"])).stdout)
      .toBe("");
    expect(driver.called).toEqual(["Stage", "Publish", "Unpublish", "Unstage"]);
    expect(await volumes.podUids()).toEqual([]);
  } finally {
    await runChild("losetup", ["--detach", device]);
  }
});
