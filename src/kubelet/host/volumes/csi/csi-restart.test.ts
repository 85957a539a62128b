import { existsSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { each } from "../../../../../test/each.ts";
import { describeWith, requires, testWith } from "../../../../../test/requires.ts";
import { GrpcError, grpcCodes } from "../../../../platform/grpc/grpc-error.ts";
import { sha256 } from "./csi-volume.ts";
import { claimOf, openCsiVolumes } from "./csi-volumes.test-support.ts";

const test = testWith(requires("root"));
const staging = { capabilities: ["STAGE_UNSTAGE_VOLUME"] } as const;

/** Opens volumes for a pod that is stopped in a call of its driver, which is never answered. */
async function stoppedAt(point: string) {
  const world = await openCsiVolumes(staging);
  const { driver, volumes } = world;
  await world.bind("data");
  const pod = await world.pod([claimOf("data")]);
  const { uid = "" } = pod.metadata;
  driver.holds.set(point, new Promise(() => {}));
  const [moment = "", call = ""] = point.split(" ");
  const target = join(world.root, "pods", uid, "volumes/kubernetes.io~csi/data/mount");
  const shared = join(world.root, "plugins/kubernetes.io/csi", driver.name, sha256("data"));
  void world
    .setUp(pod)
    .then(() => volumes.tearDown(uid))
    .catch(() => {});
  const isUndoing = call.startsWith("Un");
  const place = call.endsWith("tage") ? join(shared, "globalmount") : target;
  await expect.poll(() => driver.called.at(-1)).toBe(call);
  await expect
    .poll(async () => (await world.mounted()).includes(place))
    .toBe(isUndoing === (moment === "before"));
  driver.holds.clear();
  return { ...world, pod, uid, shared };
}

describeWith(requires("root"))("csi volumes after a kill", () => {
  each<[point: string]>([
    ["before Stage"],
    ["after Stage"],
    ["before Publish"],
    ["after Publish"],
    ["before Unpublish"],
    ["after Unpublish"],
    ["before Unstage"],
    ["after Unstage"],
  ])("%s: all of them is removed", async (point) => {
    const { reopen, register, uid, root, shared, mounted } = await stoppedAt(point);
    const volumes = await reopen();
    await register();
    await volumes.tearDown(uid);
    await expect.poll(() => existsSync(shared)).toBe(false);
    expect(await mounted()).toEqual([]);
    expect(await readdir(join(root, "pods"))).toEqual([]);
    expect(await volumes.podUids()).toEqual([]);
  });

  each<[point: string]>([
    ["before Stage"],
    ["after Stage"],
    ["before Publish"],
    ["after Publish"],
    ["before Unpublish"],
    ["after Unpublish"],
  ])("%s: the pod can use them", async (point) => {
    const { reopen, register, uid, pod, shared, mounted, driver, root } = await stoppedAt(point);
    await writeFile(join(driver.content("data"), "file"), "");
    const volumes = await reopen();
    await register();
    driver.calls.length = 0;
    await volumes.setUp(pod, { isStarting: true });
    expect(driver.called).toEqual(["Stage", "Publish"]);
    const target = join(root, "pods", uid, "volumes/kubernetes.io~csi/data/mount");
    expect(await readdir(target)).toEqual(["file"]);
    await volumes.tearDown(uid);
    await expect.poll(() => existsSync(shared)).toBe(false);
    expect(await mounted()).toEqual([]);
  });
});

test("csi volumes: after a restart they are used as before, even if the driver fails", async () => {
  const world = await openCsiVolumes(staging);
  const { driver } = world;
  await world.bind("data");
  const pod = await world.pod([claimOf("data")]);
  await world.setUp(pod);
  const before = await world.mounted();
  const volumes = await world.reopen();
  await expect(volumes.setUp(pod, { isStarting: false })).rejects.toThrow(
    "driver name csi.example.com not found",
  );
  await world.register();
  expect(world.changed).toEqual([pod.metadata.uid]);
  driver.failures.set("Stage", new GrpcError(grpcCodes.internal, "restarting"));
  await expect(volumes.setUp(pod, { isStarting: false })).rejects.toThrow("restarting");
  expect(await world.mounted()).toEqual(before);
  driver.failures.clear();
  await volumes.setUp(pod, { isStarting: false });
  expect(await world.mounted()).toEqual(before);
  await volumes.tearDown(pod.metadata.uid ?? "");
  await expect.poll(() => world.mounted()).toEqual([]);
});

test("csi volumes: files that a kill has left before the first call are removed", async () => {
  const world = await openCsiVolumes(staging);
  const folder = join(world.root, "pods/uid-1/volumes/kubernetes.io~csi/data");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "vol_data.json.new"), "{");
  const shared = join(world.root, "plugins/kubernetes.io/csi/other.example.com");
  for (const name of ["a", "b"]) await mkdir(join(shared, name), { recursive: true });
  await writeFile(join(shared, "a/vol_data.json.new"), "{");
  await mkdir(join(shared, "b/globalmount"));
  const volumes = await world.reopen();
  expect(await readdir(shared)).toEqual([]);
  await volumes.tearDown("uid-1");
  expect(await readdir(join(world.root, "pods"))).toEqual([]);
  expect(world.driver.called).toEqual([]);
});
