import { existsSync } from "node:fs";
import { chmod, lstat, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { requires, testWith } from "../../../../test/requires.ts";
import { ConfigMap } from "../../../api/core/v1/config-map.ts";
import { Secret } from "../../../api/core/v1/secret.ts";
import { dataFolder, filesIn, openVolumes } from "./volumes.test-support.ts";

const test = testWith(requires("root"));
const modeOf = async (path: string): Promise<string> =>
  ((await stat(path)).mode & 0o7777).toString(8);

test("pod volumes: an ordinary pod needs no mount of its own, and leaves nothing", async () => {
  const { cluster, setUp, pod: create, mounted, volumes, root } = await openVolumes();
  await cluster.client.create(ConfigMap, { metadata: { name: "m" }, data: { a: "1" } });
  await cluster.client.create(Secret, { metadata: { name: "s" }, stringData: { b: "2" } });
  const pod = await create([
    { name: "e", emptyDir: {} },
    { name: "m", configMap: { name: "m" } },
    { name: "s", secret: { secretName: "s" } },
    {
      name: "d",
      downwardAPI: { items: [{ path: "l", fieldRef: { fieldPath: "metadata.labels" } }] },
    },
    {
      name: "t",
      projected: {
        sources: [
          { serviceAccountToken: { path: "token", expirationSeconds: 600 } },
          { configMap: { name: "m", items: [{ key: "a", path: "x/y", mode: 0o400 }] } },
        ],
      },
    },
  ]);
  const paths = await setUp(pod);
  expect(await mounted()).toEqual([join(root, "memory-volumes")]);
  expect(await modeOf(paths.e ?? "")).toBe("777");
  expect(await filesIn(paths.m ?? "")).toEqual({ a: ["644", "0:0", "1"] });
  expect(await filesIn(paths.s ?? "")).toEqual({ b: ["644", "0:0", "2"] });
  expect(await filesIn(paths.d ?? "")).toEqual({ l: ["644", "0:0", 'app="web"\ntier="b"'] });
  expect(await filesIn(paths.t ?? "")).toEqual({
    token: ["644", "0:0", expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/)],
    "x/y": ["400", "0:0", "1"],
  });
  const { uid = "" } = pod.metadata;
  const usual = join(root, "pods", uid, "volumes/kubernetes.io~secret/s");
  expect(await filesIn(usual)).toEqual({ b: ["644", "0:0", "2"] });
  expect(await volumes.podUids()).toEqual([uid]);
  await volumes.tearDown(uid);
  expect(await volumes.podUids()).toEqual([]);
  expect(await readdir(join(root, "pods"))).toEqual([]);
  await volumes.close();
  expect(await mounted()).toEqual([]);
});

test("pod volumes: a changed config map is reported, and replaces all files at once", async () => {
  const world = await openVolumes();
  const { cluster, setUp, pod: create, volumes, changed } = world;
  const metadata = { name: "m" };
  await cluster.client.create(ConfigMap, { metadata, data: { a: "1", b: "2" } });
  const pod = await create([{ name: "m", configMap: { name: "m" } }]);
  const { m = "" } = await setUp(pod);
  const before = await dataFolder(m);
  await volumes.setUp(pod, { isStarting: false });
  expect(await dataFolder(m)).toBe(before);
  await cluster.client.update(ConfigMap, { metadata, data: { b: "3", c: "4" } });
  await expect.poll(() => changed).toEqual([pod.metadata.uid]);
  await volumes.setUp(pod, { isStarting: false });
  expect(await filesIn(m)).toEqual({ b: ["644", "0:0", "3"], c: ["644", "0:0", "4"] });
  expect((await readdir(m)).sort()).toEqual([await dataFolder(m), "..data", "b", "c"].sort());
  await cluster.client.delete(ConfigMap, metadata);
  await expect.poll(() => changed.length).toBe(2);
  await volumes.setUp(pod, { isStarting: false });
  expect(world.events).toEqual([
    'FailedMount: MountVolume.SetUp failed for volume "m" : configmap "m" not found',
  ]);
  expect(await filesIn(m)).toEqual({ b: ["644", "0:0", "3"], c: ["644", "0:0", "4"] });
});

test("pod volumes: binary data stays as it is", async () => {
  const { cluster, setUp, pod: create } = await openVolumes();
  const bytes = Buffer.from([0xff, 0, 0xfe]);
  await cluster.client.create(ConfigMap, {
    metadata: { name: "m" },
    binaryData: { x: bytes.toString("base64") },
  });
  const { m = "" } = await setUp(await create([{ name: "m", configMap: { name: "m" } }]));
  expect(await readFile(join(m, "x"))).toEqual(bytes);
});

test("pod volumes: a missing object fails the pod until it exists", async () => {
  const { cluster, setUp, pod: create, changed, volumes } = await openVolumes();
  const pod = await create([
    { name: "s", secret: { secretName: "s" } },
    { name: "o", configMap: { name: "none", optional: true } },
  ]);
  await expect(setUp(pod)).rejects.toThrow(
    'MountVolume.SetUp failed for volume "s" : secret "s" not found',
  );
  await cluster.client.create(Secret, { metadata: { name: "s" }, stringData: { b: "2" } });
  await expect.poll(() => changed).toEqual([pod.metadata.uid]);
  const { s = "", o = "" } = await setUp(pod);
  expect(await filesIn(s)).toEqual({ b: ["644", "0:0", "2"] });
  expect(await filesIn(o)).toEqual({});
  await volumes.tearDown(pod.metadata.uid ?? "");
});

test("pod volumes: a group gets the files, and one user the token", async () => {
  const { cluster, setUp, pod: create, mounted } = await openVolumes();
  await cluster.client.create(Secret, { metadata: { name: "s" }, stringData: { b: "2" } });
  const pod = await create(
    [
      { name: "e", emptyDir: {} },
      { name: "r", emptyDir: { medium: "Memory", sizeLimit: "8Mi" } },
      { name: "s", secret: { secretName: "s", defaultMode: 0o400 } },
      { name: "t", projected: { sources: [{ serviceAccountToken: { path: "token" } }] } },
    ],
    { securityContext: { fsGroup: 2000, runAsUser: 1000 } },
  );
  const { e = "", r = "", s = "", t = "" } = await setUp(pod);
  expect([await modeOf(e), (await stat(e)).gid]).toEqual(["2777", 2000]);
  expect([await modeOf(r), (await stat(r)).gid]).toEqual(["3777", 2000]);
  expect(await filesIn(s)).toEqual({ b: ["440", "0:2000", "2"] });
  expect(await filesIn(t)).toEqual({ token: ["640", "1000:2000", expect.any(String)] });
  expect(await mounted()).toContain(r);
});

test("pod volumes: what a killed kubelet has left is found and finished", async () => {
  const world = await openVolumes();
  const { cluster, setUp, pod: create, root, mounted } = world;
  await cluster.client.create(Secret, { metadata: { name: "s" }, stringData: { b: "2" } });
  const pod = await create([
    { name: "s", secret: { secretName: "s" } },
    { name: "r", emptyDir: { medium: "Memory" } },
    { name: "e", emptyDir: {} },
  ]);
  const { uid = "" } = pod.metadata;
  const { s = "", r = "", e = "" } = await setUp(pod);
  await writeFile(join(r, "kept"), "");
  await chmod(e, 0o700);
  await writeFile(join(s, "..data_tmp"), "");
  const again = await world.reopen();
  await again.setUp(pod, { isStarting: false });
  expect(await readdir(r)).toEqual(["kept"]);
  expect(await modeOf(e)).toBe("700");
  expect((await readdir(s)).sort()).toEqual([await dataFolder(s), "..data", "b"].sort());
  const third = await world.reopen();
  expect(await third.podUids()).toEqual([uid]);
  await third.tearDown(uid);
  expect(await mounted()).toEqual([join(root, "memory-volumes")]);
  expect(await third.podUids()).toEqual([]);
  await expect(lstat(join(root, "pods", uid))).rejects.toThrow("ENOENT");
});

const pageSize = "/sys/kernel/mm/hugepages/hugepages-2048kB";

testWith(requires("root") ?? (existsSync(pageSize) ? undefined : "needs huge pages of 2 MiB"))(
  "pod volumes: huge pages of the size that the pod requests",
  async () => {
    const { setUp, pod: create, mounted, volumes } = await openVolumes();
    const amounts = { "hugepages-2Mi": "2Mi", memory: "4Mi" };
    const pod = await create(
      [{ name: "h", emptyDir: { medium: "HugePages" } }],
      { securityContext: { fsGroup: 2000 } },
      {
        volumeMounts: [{ name: "h", mountPath: "/h" }],
        resources: { requests: amounts, limits: amounts },
      },
    );
    const { h = "" } = await setUp(pod);
    expect([await modeOf(h), (await stat(h)).gid]).toEqual(["2775", 2000]);
    expect(await mounted()).toEqual([h]);
    await volumes.tearDown(pod.metadata.uid ?? "");
    expect(await mounted()).toEqual([]);
  },
);
