import { expect } from "vitest";
import { requires, testWith } from "../../../../../test/requires.ts";
import { Secret } from "../../../../api/core/v1/secret.ts";
import { PersistentVolume } from "../../../../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../../../api/core/v1/volume/persistent-volume-claim.ts";
import { GrpcError, grpcCodes } from "../../../../platform/grpc/grpc-error.ts";
import { type CsiWorld, claimOf, openCsiVolumes } from "./csi-volumes.test-support.ts";

const test = testWith(requires("root"));
const capabilities = ["STAGE_UNSTAGE_VOLUME", "EXPAND_VOLUME"] as const;
const resizing = {
  conditions: [{ type: "FileSystemResizePending", status: "True", lastTransitionTime: null }],
  allocatedResourceStatuses: { storage: "NodeResizePending" },
  allocatedResources: { storage: "2Gi" },
};

/** Does what a resizer does when the storage behind a volume has grown. */
async function offer({ cluster }: CsiWorld, name: string, status: object = resizing) {
  const { client } = cluster;
  const capacity = { storage: "2Gi" };
  await client.patch(PersistentVolume, { name }, { merge: { spec: { capacity } } });
  await client.patch(
    PersistentVolumeClaim,
    { name },
    { merge: { status } as never },
    { subresource: "status" },
  );
}

const statusOf = async ({ cluster }: CsiWorld, name: string) => {
  const { status } = await cluster.client.get(PersistentVolumeClaim, { name });
  const { capacity, conditions = [], allocatedResourceStatuses, allocatedResources } = status;
  return { capacity, conditions, allocatedResourceStatuses, allocatedResources };
};

const grown = {
  ...{ capacity: { storage: "2Gi" }, conditions: [], allocatedResourceStatuses: undefined },
  allocatedResources: { storage: "2Gi" },
};
const success = 'MountVolume.NodeExpandVolume succeeded for volume "data" ';

test("csi expansion: a volume grows while a pod uses it, and its claim records that", async () => {
  const world = await openCsiVolumes({ capabilities });
  const { driver } = world;
  const secret = { namespace: "default", name: "grow" };
  await world.cluster.client.create(Secret, {
    metadata: secret,
    stringData: { key: "value" },
  } as never);
  await world.bind("data", { nodeExpandSecretRef: secret, fsType: "ext4" });
  const pod = await world.pod([claimOf("data")]);
  const { data: path } = await world.setUp(pod);
  expect(driver.called).toEqual(["Stage", "Publish"]);
  await offer(world, "data");
  await world.setUp(pod);
  expect(driver.called).toEqual(["Stage", "Publish"]);

  world.skip(2 * 60_000);
  await world.setUp(pod);
  expect(driver.called).toEqual(["Stage", "Publish", "Expand"]);
  expect(driver.last("Expand")).toMatchObject({
    ...{ volume_id: "data", volume_path: path, secrets: { key: "value" } },
    capacity_range: { required_bytes: 2n << 30n },
    staging_target_path: driver.last("Stage")?.staging_target_path,
    volume_capability: {
      mount: { fs_type: "ext4" },
      access_mode: { mode: "SINGLE_NODE_WRITER" },
    },
  });
  expect(await statusOf(world, "data")).toEqual(grown);
  const reason = `FileSystemResizeSuccessful: ${success}`;
  expect(world.events.map((event) => event.trim())).toEqual(
    [reason, `data ${reason}`].map((event) => expect.stringContaining(event.trim())),
  );
  world.skip(2 * 60_000);
  await world.setUp(pod);
  expect(driver.called).toHaveLength(3);
});

test("csi expansion: a volume that has grown while no pod used it grows before the pod starts", async () => {
  const world = await openCsiVolumes({ capabilities });
  await world.bind("data");
  await offer(world, "data");
  const pod = await world.pod([claimOf("data")]);
  world.driver.failures.set("Expand", new GrpcError(grpcCodes.internal, "disk on fire"));
  await expect(world.setUp(pod)).rejects.toThrow(
    'MountVolume.Setup failed while expanding volume for volume "data" : Expander.NodeExpand failed to expand the volume : rpc error: code = Internal desc = disk on fire',
  );
  expect(await statusOf(world, "data")).toMatchObject({
    capacity: { storage: "1Gi" },
    conditions: [{ type: "FileSystemResizePending" }, { type: "NodeResizeError" }],
    allocatedResourceStatuses: { storage: "NodeResizeInProgress" },
  });
  world.driver.failures.clear();
  await world.setUp(pod);
  expect(await statusOf(world, "data")).toEqual(grown);
  expect(world.driver.mostAtOnce).toBe(1);
});

test("csi expansion: a failure while a pod runs is an event, and a size that cannot be had is not tried again", async () => {
  const world = await openCsiVolumes({ capabilities });
  await world.bind("data");
  const pod = await world.pod([claimOf("data")]);
  await world.setUp(pod);
  await offer(world, "data");
  world.driver.failures.set("Expand", new GrpcError(grpcCodes.outOfRange, "too large"));
  for (let tries = 0; tries < 2; tries++) {
    world.skip(2 * 60_000);
    await world.setUp(pod);
  }
  expect(world.driver.called).toEqual(["Stage", "Publish", "Expand"]);
  const why =
    "Expander.NodeExpand failed to expand the volume rpc error: code = OutOfRange desc = too large";
  expect(world.events).toEqual([
    `VolumeResizeFailed: NodeExpandVolume.NodeExpandVolume failed for volume "data" : ${why}`,
  ]);
  expect(await statusOf(world, "data")).toMatchObject({
    allocatedResourceStatuses: { storage: "NodeResizeInfeasible" },
    conditions: [
      { type: "FileSystemResizePending" },
      { type: "NodeResizeError", message: `failed to expand pvc with ${why}` },
    ],
  });
});

test("csi expansion: a driver that cannot grow volumes in use is called again for the next pod", async () => {
  const world = await openCsiVolumes({ capabilities });
  await world.bind("data");
  const pod = await world.pod([claimOf("data")]);
  await world.setUp(pod);
  await offer(world, "data");
  world.driver.failures.set("Expand", new GrpcError(grpcCodes.failedPrecondition, "in use"));
  for (let tries = 0; tries < 2; tries++) {
    world.skip(2 * 60_000);
    await world.setUp(pod);
  }
  expect(world.driver.called).toEqual(["Stage", "Publish", "Expand"]);
  expect(world.events).toEqual([]);
  await world.volumes.tearDown(pod.metadata.uid ?? "");
  world.driver.failures.clear();
  await world.setUp(await world.pod([claimOf("data")]));
  expect(await statusOf(world, "data")).toEqual(grown);
});

test("csi expansion: a restarted kubelet goes on with it, and one that is only read does not grow", async () => {
  const world = await openCsiVolumes({ capabilities });
  await world.bind("data");
  await world.bind("read");
  const pod = await world.pod([claimOf("data"), claimOf("read", { readOnly: true })]);
  await world.setUp(pod);
  await offer(world, "data", {
    ...resizing,
    allocatedResourceStatuses: { storage: "NodeResizeInProgress" },
  });
  await offer(world, "read");
  const volumes = await world.reopen();
  await world.register();
  await volumes.setUp(pod, { isStarting: false });
  expect(await statusOf(world, "data")).toEqual(grown);
  expect(world.driver.calls.filter(({ name }) => name === "Expand")).toHaveLength(1);
  expect(world.events).toContain(
    'FileSystemResizeFailed: MountVolume.NodeExpandVolume failed for volume "read" requested read-only file system',
  );
});

test("csi expansion: a driver that does not grow volumes on nodes is left alone", async () => {
  const world = await openCsiVolumes({ capabilities: ["STAGE_UNSTAGE_VOLUME"] });
  await world.bind("data");
  await offer(world, "data");
  await world.setUp(await world.pod([claimOf("data")]));
  expect(world.driver.called).toEqual(["Stage", "Publish"]);
  expect(await statusOf(world, "data")).toMatchObject({ capacity: { storage: "1Gi" } });
});
