import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test as plainTest } from "vitest";
import { each } from "../../../../test/each.ts";
import { requires, testWith } from "../../../../test/requires.ts";
import { noLog } from "../../../base/log.ts";
import type { ContainerMount } from "../../../cri/linux-types.ts";
import { containerDevices, containerMounts, type PodMount } from "./container-mounts.ts";
import { openVolumes } from "./volumes.test-support.ts";

const mountOf = (more: object): PodMount =>
  ({
    ...{ path: "/p", isReadOnly: false, isManaged: true },
    volume: { name: "v", mode: "Filesystem" },
    ...more,
  }) as unknown as PodMount;

const mounts = (mount: object, volume: object = {}, can = true) =>
  containerMounts({
    container: { name: "c", volumeMounts: [{ name: "v", mountPath: "/v", ...mount }] } as never,
    volumes: new Map([["v", mountOf(volume)]]),
    env: [{ name: "A", value: "x" }],
    subPaths: "/none",
    canBeRecursivelyReadOnly: can,
    log: noLog,
  });

const plain: ContainerMount = {
  ...{ containerPath: "/v", hostPath: "/p", readonly: false, recursiveReadOnly: false },
  ...{ selinuxRelabel: true, propagation: "private" },
};

each<[mount: object, volume: object, changes: Partial<ContainerMount>]>([
  [{}, {}, {}],
  [{ mountPath: "v" }, {}, {}],
  [{ readOnly: true }, {}, { readonly: true }],
  [{}, { isReadOnly: true }, { readonly: true }],
  [{}, { isManaged: false }, { selinuxRelabel: false }],
  [{ mountPropagation: "HostToContainer" }, {}, { propagation: "hostToContainer" }],
  [{ mountPropagation: "Bidirectional" }, {}, { propagation: "bidirectional" }],
  [
    { readOnly: true, recursiveReadOnly: "Enabled" },
    {},
    { readonly: true, recursiveReadOnly: true },
  ],
  [
    { subPath: "etc" },
    { image: "i:1", path: "" },
    { hostPath: "", image: "i:1", imageSubPath: "etc" },
  ],
  [
    { subPathExpr: "$(A)-d" },
    { image: "i:1", path: "" },
    { hostPath: "", image: "i:1", imageSubPath: "x-d" },
  ],
])("containerMounts: %j of %j", async (mount, volume, changes) => {
  expect(await mounts(mount, volume)).toEqual([{ ...plain, ...changes }]);
});

plainTest(
  "containerMounts: a runtime that cannot be recursively read-only is enough if possible",
  async () => {
    const mount = { readOnly: true, recursiveReadOnly: "IfPossible" };
    expect(await mounts(mount, {}, false)).toEqual([{ ...plain, readonly: true }]);
  },
);

each<[mount: object, message: string]>([
  [{ name: "x" }, 'cannot find volume "x" to mount into container "c"'],
  [{ subPath: "/a" }, "error SubPath `/a` must not be an absolute path"],
  [{ subPath: "a/../b" }, "unable to provision SubPath `a/../b`: must not contain '..'"],
  [{ subPathExpr: "$(Z)/$(B)/$(A)" }, "missing value for B, Z"],
  [{ subPathExpr: "$(A)/.." }, "unable to provision SubPath `x/..`: must not contain '..'"],
  [
    { recursiveReadOnly: "Enabled", readOnly: true },
    'volume "v" requested recursive read-only mode, but it is not supported by the runtime',
  ],
  [
    { recursiveReadOnly: "IfPossible" },
    'volume "v" requested recursive read-only mode, but it is not read-only',
  ],
])("containerMounts: %j rejects", async (mount, message) => {
  await expect(mounts(mount, {}, false)).rejects.toThrow(message);
});

plainTest("containerDevices: block devices with their rights", () => {
  const block = { volume: { name: "v", mode: "Block" }, path: "/dev/x" };
  const devices = (volume: object, devicePath = "/d") =>
    containerDevices({
      container: { name: "c", volumeDevices: [{ name: "v", devicePath }] } as never,
      volumes: new Map([["v", mountOf(volume)]]),
    });
  const device = { hostPath: "/dev/x", containerPath: "/d" };
  expect(devices(block)).toEqual([{ ...device, permissions: "mrw" }]);
  expect(devices({ ...block, isReadOnly: true })).toEqual([{ ...device, permissions: "r" }]);
  expect(() => devices({})).toThrow('cannot find volume "v" to pass into container "c"');
  expect(() => devices(block, "d")).toThrow("error DevicePath `d` must be an absolute path");
});

const test = testWith(requires("root"));

test("sub paths: are created, mounted once, and mounted anew when they lead elsewhere", async () => {
  const world = await openVolumes();
  const volumeMounts = [
    { name: "e", mountPath: "/d", subPathExpr: "$(N)/d" },
    { name: "e", mountPath: "/f", subPath: "file" },
  ];
  const pod = await world.pod(
    [{ name: "e", emptyDir: {} }],
    { securityContext: { fsGroup: 2000 } },
    { volumeMounts },
  );
  const { uid = "" } = pod.metadata;
  const at = (name: string): string =>
    join(world.root, "pods", uid, "volumes/kubernetes.io~empty-dir/e", name);
  await world.volumes.setUp(pod, { isStarting: true });
  await writeFile(at("file"), "one");
  const hostPaths = async () => (await world.mounts(pod, { N: "n" })).map((one) => one.hostPath);
  const [d = "", f = ""] = await hostPaths();
  expect(d).toBe(join(world.root, "pods", uid, "volume-subpaths/e/c/0"));
  await writeFile(join(d, "x"), "written");
  expect(await readFile(at("n/d/x"), "utf8")).toBe("written");
  expect(await readFile(f, "utf8")).toBe("one");
  const before = await world.mounted();
  expect(await hostPaths()).toEqual([d, f]);
  expect(await world.mounted()).toEqual(before);
  await rm(at("file"));
  await mkdir(at("file"));
  await writeFile(at("file/inner"), "two");
  await hostPaths();
  expect(await readFile(join(f, "inner"), "utf8")).toBe("two");
  await world.volumes.tearDown(uid);
  expect(await world.mounted()).toEqual([]);
});

test("sub paths: one that leads out of the volume fails, and nothing is told of the node", async () => {
  const world = await openVolumes();
  const volumeMounts = [{ name: "e", mountPath: "/d", subPath: "link" }];
  const pod = await world.pod([{ name: "e", emptyDir: {} }], {}, { volumeMounts });
  await world.volumes.setUp(pod, { isStarting: true });
  const { uid = "" } = pod.metadata;
  await symlink("/etc", join(world.root, "pods", uid, "volumes/kubernetes.io~empty-dir/e/link"));
  await expect(world.mounts(pod)).rejects.toThrow(
    /^failed to prepare subPath for volumeMount "e" of container "c"$/,
  );
  expect(await world.mounted()).toEqual([]);
  await world.volumes.tearDown(uid);
});
