import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { requires, testWith } from "../../../../../test/requires.ts";
import { sha256 } from "./csi-volume.ts";
import { claimOf, nodeName, openCsiVolumes } from "./csi-volumes.test-support.ts";

const test = testWith(requires("root"));

test("csi volumes: one that is staged is mounted for two pods, and unstaged after the last", async () => {
  const world = await openCsiVolumes({ capabilities: ["STAGE_UNSTAGE_VOLUME"] });
  const { driver, root, volumes } = world;
  await writeFile(join(driver.content("data"), "file"), "kept");
  await world.bind(
    "data",
    { volumeAttributes: { pool: "fast" }, fsType: "ext4" },
    {
      mountOptions: ["noatime"],
    },
  );
  const [a, b] = [await world.pod([claimOf("data")]), await world.pod([claimOf("data")])];
  const { data: path = "" } = await world.setUp(a);
  const uid = a.metadata.uid ?? "";
  const folder = join(root, "pods", uid, "volumes/kubernetes.io~csi/data");
  expect(path).toBe(join(folder, "mount"));
  expect(await readFile(join(path, "file"), "utf8")).toBe("kept");
  const shared = join(root, "plugins/kubernetes.io/csi", driver.name, sha256("data"));
  const staging = join(shared, "globalmount");
  const attachmentID = `csi-${sha256(`data${driver.name}${nodeName}`)}`;
  expect(JSON.parse(await readFile(join(shared, "vol_data.json"), "utf8"))).toEqual({
    ...{ driverName: driver.name, volumeHandle: "data" },
  });
  expect(await readFile(join(folder, "vol_data.json"), "utf8")).toBe(
    `{"attachmentID":"${attachmentID}","driverName":"csi.example.com","nodeName":"node-1","specVolID":"data","volumeHandle":"data","volumeLifecycleMode":"Persistent"}\n`,
  );
  const mount = { fs_type: "ext4", mount_flags: ["noatime"], volume_mount_group: "" };
  const volume_capability = { mount, access_mode: { mode: "SINGLE_NODE_WRITER" } };
  const common = { volume_id: "data", publish_context: {}, volume_capability, secrets: {} };
  expect(driver.last("Stage")).toMatchObject({
    ...{ ...common, staging_target_path: staging, volume_context: { pool: "fast" } },
  });
  expect(driver.last("Publish")).toMatchObject({
    ...{ ...common, staging_target_path: staging, target_path: path, readonly: false },
    volume_context: { pool: "fast" },
  });

  await world.setUp(b);
  await world.setUp(a);
  expect(driver.called).toEqual(["Stage", "Publish", "Publish"]);
  await volumes.tearDown(uid);
  expect(existsSync(join(root, "pods", uid))).toBe(false);
  await volumes.tearDown(b.metadata.uid ?? "");
  await expect.poll(() => existsSync(shared)).toBe(false);
  expect(driver.called.slice(3)).toEqual(["Unpublish", "Unpublish", "Unstage"]);
  expect(driver.last("Unstage")).toEqual({ volume_id: "data", staging_target_path: staging });
  expect(await world.mounted()).toEqual([]);
  expect(await readdir(join(root, "pods"))).toEqual([]);
  expect(await readdir(driver.content("data"))).toEqual(["file"]);
  expect(driver.mostAtOnce).toBe(1);
});

test("csi volumes: an ephemeral one belongs to its pod, whose service account the driver learns", async () => {
  const world = await openCsiVolumes({
    object: {
      volumeLifecycleModes: ["Ephemeral"],
      podInfoOnMount: true,
      tokenRequests: [{ audience: "vault", expirationSeconds: 600 }, { audience: "" }],
    },
  });
  const { driver } = world;
  const pod = await world.pod([
    { name: "v", csi: { driver: driver.name, readOnly: true, volumeAttributes: { key: "a" } } },
  ]);
  const { v: path = "" } = await world.setUp(pod);
  const { uid = "", name } = pod.metadata;
  const request = driver.last("Publish") as { volume_context: Record<string, string> };
  const { "csi.storage.k8s.io/serviceAccount.tokens": tokens = "", ...context } =
    request.volume_context;
  expect(context).toEqual({
    key: "a",
    "csi.storage.k8s.io/pod.name": name,
    "csi.storage.k8s.io/pod.namespace": "default",
    "csi.storage.k8s.io/pod.uid": uid,
    "csi.storage.k8s.io/serviceAccount.name": "default",
    "csi.storage.k8s.io/ephemeral": "true",
  });
  const token = { token: expect.any(String), expirationTimestamp: expect.any(String) };
  expect(JSON.parse(tokens)).toEqual({ "": token, vault: token });
  expect(request).toMatchObject({
    ...{ volume_id: `csi-${sha256(`${uid}v`)}`, readonly: true, staging_target_path: "" },
  });
  await expect(writeFile(join(path, "x"), "")).rejects.toThrow("EROFS");
  await world.volumes.tearDown(uid);
  expect(driver.called).toEqual(["Publish", "Unpublish"]);
  expect(await world.mounted()).toEqual([]);
  expect(await readdir(join(world.root, "pods"))).toEqual([]);
});
