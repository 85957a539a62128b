import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { each } from "../../../../../test/each.ts";
import { describeWith, requires, testWith } from "../../../../../test/requires.ts";
import { CSIDriver } from "../../../../api/storage/v1/csi-driver.ts";
import { GrpcError, grpcCodes } from "../../../../platform/grpc/grpc-error.ts";
import { type CsiWorld, claimOf, openCsiVolumes } from "./csi-volumes.test-support.ts";

const test = testWith(requires("root"));
const staging = { capabilities: ["STAGE_UNSTAGE_VOLUME"] } as const;
const secretRef = { name: "none", namespace: "default" };
const missing =
  'failed: kubernetes.io/csi: failed to find the secret none in the namespace default with error: secrets "none" not found';

/** Sets up a pod with a volume of the driver, and resolves with why it fails. */
async function failureOf(world: CsiWorld, volume: object): Promise<string> {
  const pod = await world.pod([volume]);
  return world.setUp(pod).then(
    () => "",
    (error: Error & { reason: string }) => `${error.reason}: ${error.message}`,
  );
}

const failed = "FailedMount: MountVolume.";
describeWith(requires("root"))("the event of a CSI volume", () => {
  each<[what: string, source: object, prepare: (world: CsiWorld) => unknown, event: string]>([
    [
      "a driver that is not registered",
      { driver: "x" },
      ({ cluster }) =>
        cluster.client.create(CSIDriver, {
          metadata: { name: "x" },
          spec: { attachRequired: false },
        } as never),
      `${failed}MountDevice failed for volume "data" : kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: driver name x not found in the list of registered CSI drivers`,
    ],
    [
      "staging",
      {},
      ({ driver }) => driver.failures.set("Stage", new GrpcError(grpcCodes.internal, "no disk")),
      `${failed}MountDevice failed for volume "data" : rpc error: code = Internal desc = no disk`,
    ],
    [
      "publishing",
      {},
      ({ driver }) => driver.failures.set("Publish", new GrpcError(grpcCodes.notFound, "gone")),
      `${failed}SetUp failed for volume "data" : rpc error: code = NotFound desc = gone`,
    ],
    [
      "a secret for staging",
      { nodeStageSecretRef: secretRef },
      () => {},
      `${failed}MountDevice failed for volume "data" : fetching NodeStageSecretRef default/none ${missing}`,
    ],
    [
      "a secret for publishing",
      { nodePublishSecretRef: secretRef },
      () => {},
      `${failed}SetUp failed for volume "data" : fetching NodePublishSecretRef default/none ${missing}`,
    ],
  ])("says that %s failed", async (_, source, prepare, event) => {
    const world = await openCsiVolumes(staging);
    await world.bind("data", source, {});
    await prepare(world);
    expect(await failureOf(world, claimOf("data"))).toBe(event);
  });
});

test("csi volumes: drivers say which kinds of volumes they provide", async () => {
  const world = await openCsiVolumes({ object: null });
  const volume = { name: "v", csi: { driver: world.driver.name } };
  expect(await failureOf(world, volume)).toBe(
    'FailedMount: MountVolume.SetUp failed for volume "v" : kubernetes.io/csi: mounter.SetupAt failed to check volume lifecycle mode: volume mode "Ephemeral" not supported by driver csi.example.com (no CSIDriver object)',
  );
  expect(world.driver.called).toEqual([]);
});

test("csi volumes: what a driver has certainly not done leaves nothing", async () => {
  const world = await openCsiVolumes(staging);
  const { driver, root } = world;
  await world.bind("data");
  driver.failures.set("Stage", new GrpcError(grpcCodes.invalidArgument, "odd"));
  const pod = await world.pod([claimOf("data")]);
  await expect(world.setUp(pod)).rejects.toThrow("odd");
  expect(await readdir(join(root, "plugins/kubernetes.io/csi", driver.name))).toEqual([]);
  await world.volumes.tearDown(pod.metadata.uid ?? "");
  expect(driver.called).toEqual(["Stage"]);
  expect(await readdir(join(root, "pods"))).toEqual([]);
});

test("csi volumes: what a driver may be doing still is undone with the pod", async () => {
  const world = await openCsiVolumes(staging);
  const { driver, root } = world;
  await world.bind("data");
  const shared = join(root, "plugins/kubernetes.io/csi", driver.name);
  driver.failures.set("Stage", new GrpcError(grpcCodes.aborted, "pending"));
  const pod = await world.pod([claimOf("data")]);
  await expect(world.setUp(pod)).rejects.toThrow("pending");
  expect(await readdir(shared)).toHaveLength(1);
  driver.failures.clear();
  driver.failures.set("Publish", new GrpcError(grpcCodes.internal, "broken"));
  await expect(world.setUp(pod)).rejects.toThrow("broken");
  await world.volumes.tearDown(pod.metadata.uid ?? "");
  await expect.poll(() => readdir(shared)).toEqual([]);
  expect(driver.called).toEqual(["Stage", "Stage", "Publish", "Unpublish", "Unstage"]);
  expect(await world.mounted()).toEqual([]);
});

test("csi volumes: a pod is removed although unstaging fails, which is tried again", async () => {
  const world = await openCsiVolumes(staging);
  const { driver, root } = world;
  await world.bind("data");
  const pod = await world.pod([claimOf("data")]);
  await world.setUp(pod);
  driver.failures.set("Unstage", new GrpcError(grpcCodes.internal, "busy"));
  await world.volumes.tearDown(pod.metadata.uid ?? "");
  expect(existsSync(join(root, "pods", pod.metadata.uid ?? ""))).toBe(false);
  await expect.poll(() => driver.called.at(-1)).toBe("Unstage");
  driver.failures.clear();
  await expect.poll(() => world.mounted(), { timeout: 5000 }).toEqual([]);
});

test("csi volumes: a pod waits for its driver to be removed, and then goes on", async () => {
  const world = await openCsiVolumes();
  const { driver } = world;
  await world.bind("data");
  const pod = await world.pod([claimOf("data")]);
  const { uid = "" } = pod.metadata;
  await world.setUp(pod);
  const again = await world.reopen();
  await expect(again.tearDown(uid)).rejects.toThrow(
    "kubernetes.io/csi: Unmounter.TearDownAt failed to get CSI client: driver name csi.example.com not found in the list of registered CSI drivers",
  );
  await world.register();
  expect(world.changed).toEqual([uid]);
  await again.tearDown(uid);
  expect(driver.called).toEqual(["Publish", "Unpublish"]);
  expect(await world.mounted()).toEqual([]);
});
