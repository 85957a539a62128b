import { existsSync } from "node:fs";
import { mkdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { requires, testWith } from "../../../../../test/requires.ts";
import { PersistentVolume } from "../../../../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../../../api/core/v1/volume/persistent-volume-claim.ts";
import { mustRun, runChild } from "../../../../platform/run-child.ts";
import { openVolumes, type VolumesWorld } from "../volumes.test-support.ts";

const test = testWith(requires("root"));

/** Creates a persistent volume of this node, bound to a claim of the same name. */
async function bind({ cluster: { client } }: VolumesWorld, name: string, spec: object) {
  const size = { storage: "1Gi" };
  const accessModes = ("accessModes" in spec && spec.accessModes) || ["ReadWriteOnce"];
  const claim = await client.create(PersistentVolumeClaim, {
    metadata: { name },
    spec: {
      accessModes,
      resources: { requests: size },
      storageClassName: "",
      volumeName: name,
      ...("volumeMode" in spec && { volumeMode: spec.volumeMode }),
    },
  } as never);
  const nodeSelectorTerms = [
    { matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: ["node-1"] }] },
  ];
  await client.create(PersistentVolume, {
    metadata: { name },
    spec: {
      ...{ accessModes, capacity: size, nodeAffinity: { required: { nodeSelectorTerms } } },
      claimRef: { namespace: "default", name, uid: claim.metadata.uid },
      ...spec,
    },
  } as never);
  await client.update(
    PersistentVolumeClaim,
    { ...claim, status: { phase: "Bound", accessModes, capacity: size } } as never,
    { subresource: "status" },
  );
}

const claimOf = (name: string, readOnly = false) => ({
  name: "v",
  persistentVolumeClaim: { claimName: name, readOnly },
});

/** A disk in a file of the test. */
async function loopDevice(root: string): Promise<string> {
  const file = join(root, "disk");
  await writeFile(file, "");
  await truncate(file, 16 << 20);
  const device = (await mustRun("losetup", ["--find", "--show", file])).trim();
  onTestFinished(async () => void (await runChild("losetup", ["--detach", device])));
  return device;
}

test("local volumes: pods share a folder, whose files stay", async () => {
  const world = await openVolumes();
  const path = join(world.root, "data");
  await mkdir(path);
  await writeFile(join(path, "file"), "kept", { mode: 0o600 });
  await bind(world, "data", { local: { path } });
  const securityContext = { fsGroup: 2000 };
  const [a, b] = [
    await world.pod([claimOf("data")], { securityContext }),
    await world.pod([claimOf("data", true)]),
  ];
  const first = (await world.setUp(a)).v ?? "";
  const second = (await world.setUp(b)).v ?? "";
  expect(first).toBe(
    join(world.root, "pods", a.metadata.uid ?? "", "volumes/kubernetes.io~local-volume/data"),
  );
  expect(await world.mounted()).toEqual(expect.arrayContaining([first, second]));
  expect((await stat(join(path, "file"))).mode & 0o7777).toBe(0o660);
  await writeFile(join(first, "new"), "1");
  expect(await readFile(join(second, "new"), "utf8")).toBe("1");
  await expect(writeFile(join(second, "x"), "")).rejects.toThrow("EROFS");
  const usage = (await world.volumes.usage(a.metadata.uid ?? "")).get("v");
  expect(usage).toMatchObject({ claim: { namespace: "default", name: "data" } });
  for (const pod of [a, b]) await world.volumes.tearDown(pod.metadata.uid ?? "");
  expect(await world.mounted()).toEqual([]);
  expect(await readFile(join(path, "file"), "utf8")).toBe("kept");
});

test("local volumes: a disk is formatted if it is empty, and unmounted with its last pod", async () => {
  const world = await openVolumes();
  const device = await loopDevice(world.root);
  await bind(world, "disk", { local: { path: device, fsType: "ext4" } });
  const [a, b] = [await world.pod([claimOf("disk")]), await world.pod([claimOf("disk")])];
  const first = (await world.setUp(a)).v ?? "";
  await writeFile(join(first, "file"), "kept");
  const shared = join(world.root, "plugins/kubernetes.io/local-volume/mounts/disk");
  expect(await world.mounted()).toEqual(expect.arrayContaining([shared, first]));
  const again = await world.reopen();
  await again.setUp(b, { isStarting: true });
  await again.tearDown(a.metadata.uid ?? "");
  expect(await world.mounted()).toContain(shared);
  await again.tearDown(b.metadata.uid ?? "");
  expect(await world.mounted()).toEqual([]);
  const third = await world.pod([claimOf("disk")]);
  expect(await readFile(join((await world.setUp(third)).v ?? "", "file"), "utf8")).toBe("kept");
  await world.volumes.tearDown(third.metadata.uid ?? "");
});

test("local volumes: a disk that is empty is not formatted for reading", async () => {
  const world = await openVolumes();
  const device = await loopDevice(world.root);
  await bind(world, "disk", { local: { path: device } });
  await expect(world.setUp(await world.pod([claimOf("disk", true)]))).rejects.toThrow(
    `MountVolume.SetUp failed for volume "disk" : cannot mount unformatted disk ${device} as we are manipulating it in read-only mode`,
  );
});

test("local volumes: a disk is passed to a container as a device", async () => {
  const world = await openVolumes();
  const device = await loopDevice(world.root);
  await bind(world, "disk", { local: { path: device }, volumeMode: "Block" });
  const container = { volumeMounts: [], volumeDevices: [{ name: "v", devicePath: "/dev/x" }] };
  const pod = await world.pod([claimOf("disk")], {}, container);
  await world.volumes.setUp(pod, { isStarting: true });
  const [one] = pod.spec.containers ?? [];
  expect(one && world.volumes.devices(pod, one)).toEqual([
    { hostPath: device, containerPath: "/dev/x", permissions: "mrw" },
  ]);
  expect(await world.mounted()).toEqual([]);
  await world.volumes.tearDown(pod.metadata.uid ?? "");
});

test("local volumes: something else than a folder or a disk is no volume", async () => {
  const world = await openVolumes();
  await bind(world, "null", { local: { path: "/dev/null" } });
  await expect(world.setUp(await world.pod([claimOf("null")]))).rejects.toThrow(
    'MountVolume.SetUp failed for volume "null" : only directory and block device are supported',
  );
});

test("local volumes: one for a single pod waits until the other pod is gone", async () => {
  const world = await openVolumes();
  const path = join(world.root, "data");
  await mkdir(path);
  await bind(world, "one", { local: { path }, accessModes: ["ReadWriteOncePod"] });
  const [a, b] = [await world.pod([claimOf("one")]), await world.pod([claimOf("one")])];
  await world.setUp(a);
  await expect(world.setUp(b)).rejects.toThrow(
    'MountVolume.SetUp failed for volume "one" : volume uses the ReadWriteOncePod access mode and is already in use by another pod',
  );
  await world.volumes.tearDown(a.metadata.uid ?? "");
  await world.setUp(b);
  await world.volumes.tearDown(b.metadata.uid ?? "");
});

const withoutNfs =
  requires("root") ??
  (existsSync("/sbin/mount.nfs") ? "needs a machine without mount.nfs" : undefined);

testWith(withoutNfs)("NFS: without its program, the event says what to install", async () => {
  const world = await openVolumes();
  const pod = await world.pod([{ name: "n", nfs: { server: "127.0.0.1", path: "/none" } }]);
  await expect(world.setUp(pod)).rejects.toThrow(
    'MountVolume.SetUp failed for volume "n" : mount.nfs is not installed (on Debian and Ubuntu: apt-get install nfs-common)',
  );
});

test("a claim that is not bound, and unknown kinds of volumes, are in one event", async () => {
  const world = await openVolumes();
  const pod = await world.pod([
    claimOf("none"),
    { name: "w", iscsi: { targetPortal: "127.0.0.1", iqn: "iqn.2026-01.io.x:y", lun: 0 } },
    { name: "e", emptyDir: {} },
  ]);
  await expect(world.setUp(pod)).rejects.toThrow(
    'Unable to attach or mount volumes: unmounted volumes=[v w], unattached volumes=[], failed to process volumes=[v w]: error processing PVC default/none: failed to fetch PVC from API server: persistentvolumeclaims "none" not found; failed to get Plugin from volumeSpec for volume "w" err=no volume plugin matched',
  );
});
