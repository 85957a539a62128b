import { expect, test } from "vitest";
import { each } from "../../../../../test/each.ts";
import type { CSIDriver } from "../../../../api/storage/v1/csi-driver.ts";
import type { VolumeAttachment } from "../../../../api/storage/v1/volume-attachment.ts";
import { checkAttached } from "./attachment.ts";
import type { CsiVolume } from "./csi-volume.ts";
import { fsGroupPolicyOf, getsFsGroup } from "./fs-group.ts";
import { checkLifecycleMode } from "./lifecycle-mode.ts";
import { capabilityOf } from "./volume-capability.ts";
import { createVolumesInUse } from "./volumes-in-use.ts";
import type { NodeCapability } from "./wire/node-methods.ts";

const volume = (changes: Partial<CsiVolume> = {}): CsiVolume => ({
  ...{ name: "pv", driver: "d", handle: "h", lifecycle: "Persistent", isBlock: false },
  ...{ readOnly: false, fsType: "ext4", attributes: {}, mountOptions: [] },
  accessModes: ["ReadWriteOnce"],
  ...changes,
});

const multiWriter = ["SINGLE_NODE_MULTI_WRITER"] as const;

each<[mode: string | undefined, can: readonly NodeCapability[], expected: string]>([
  ["ReadWriteOnce", [], "SINGLE_NODE_WRITER"],
  [undefined, [], "SINGLE_NODE_WRITER"],
  ["ReadWriteOncePod", [], "SINGLE_NODE_WRITER"],
  ["ReadOnlyMany", [], "MULTI_NODE_READER_ONLY"],
  ["ReadWriteMany", [], "MULTI_NODE_MULTI_WRITER"],
  ["ReadWriteOnce", multiWriter, "SINGLE_NODE_MULTI_WRITER"],
  ["ReadWriteOncePod", multiWriter, "SINGLE_NODE_SINGLE_WRITER"],
  ["ReadWriteMany", multiWriter, "MULTI_NODE_MULTI_WRITER"],
  ["Odd", multiWriter, "UNKNOWN"],
])("capabilityOf: mode %s of a driver with %j", (mode, can, expected) => {
  const accessModes = mode === undefined ? undefined : [mode, "ReadOnlyMany"];
  const found = capabilityOf(volume({ accessModes }), { capabilities: new Set(can) });
  expect(found.access_mode).toEqual({ mode: expected });
});

test("capabilityOf: a mount has a file system and options, and a group if the driver sets it", () => {
  const mounted = volume({ mountOptions: ["ro"] });
  const mount = { fs_type: "ext4", mount_flags: ["ro"] };
  const fsGroup = 2000;
  const none = { capabilities: new Set<NodeCapability>(), fsGroup };
  expect(capabilityOf(mounted, none).mount).toEqual({ ...mount, volume_mount_group: "" });
  const able = { capabilities: new Set<NodeCapability>(["VOLUME_MOUNT_GROUP"]), fsGroup };
  expect(capabilityOf(mounted, able).mount).toEqual({ ...mount, volume_mount_group: "2000" });
  const device = capabilityOf(volume({ isBlock: true }), able);
  expect(device).toEqual({ block: {}, access_mode: { mode: "SINGLE_NODE_WRITER" } });
});

each<[policy: string, changes: Partial<CsiVolume>, expected: boolean]>([
  ["ReadWriteOnceWithFSType", {}, true],
  ["ReadWriteOnceWithFSType", { fsType: "" }, false],
  ["ReadWriteOnceWithFSType", { accessModes: ["ReadWriteMany"] }, false],
  ["ReadWriteOnceWithFSType", { accessModes: ["ReadWriteMany", "ReadWriteOncePod"] }, true],
  ["ReadWriteOnceWithFSType", { accessModes: undefined }, false],
  ["ReadWriteOnceWithFSType", { lifecycle: "Ephemeral", accessModes: undefined }, true],
  ["ReadWriteOnceWithFSType", { lifecycle: "Ephemeral", fsType: "" }, false],
  ["File", { fsType: "", accessModes: ["ReadWriteMany"] }, true],
  ["File", { readOnly: true }, false],
  ["None", {}, false],
])("getsFsGroup: policy %s, volume %j", (policy, changes, expected) => {
  expect(getsFsGroup(volume(changes), policy)).toBe(expected);
});

const driver = (spec: object): CSIDriver => ({ spec }) as CSIDriver;

test("fsGroupPolicyOf: a driver without an object has the usual policy", () => {
  expect(fsGroupPolicyOf(undefined)).toBe("ReadWriteOnceWithFSType");
  expect(fsGroupPolicyOf(driver({ fsGroupPolicy: "None" }))).toBe("None");
  expect(() => fsGroupPolicyOf(driver({}))).toThrow(
    "kubernetes.io/csi: expected valid fsGroupPolicy, received nil value or empty string",
  );
});

each<
  [lifecycle: CsiVolume["lifecycle"], modes: readonly string[] | undefined, problem: string | null]
>([
  ["Persistent", undefined, null],
  ["Persistent", ["Persistent"], null],
  ["Ephemeral", ["Persistent", "Ephemeral"], null],
  ["Ephemeral", undefined, "(no CSIDriver object)"],
  ["Ephemeral", ["Persistent"], '(only supports ["Persistent"])'],
  ["Persistent", ["Ephemeral"], '(only supports ["Ephemeral"])'],
])("checkLifecycleMode: %s volumes of a driver with %j", (lifecycle, modes, problem) => {
  const object = modes && driver({ volumeLifecycleModes: modes });
  const check = () => checkLifecycleMode(volume({ lifecycle }), object);
  if (problem === null) check();
  else expect(check).toThrow(`volume mode "${lifecycle}" not supported by driver d ${problem}`);
});

each<[attachment: object, problem: string | null]>([
  [{ status: { attached: true } }, null],
  [
    { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" }, status: { attached: true } },
    "volume attachment is being deleted",
  ],
  [{ status: { attached: false, attachError: { message: "no slot" } } }, "no slot"],
  [
    { metadata: { name: "csi-1" }, status: { attached: false } },
    "volume h is not attached for volume attachment csi-1",
  ],
])("checkAttached: %j", (attachment, problem) => {
  const whole = { metadata: {}, ...attachment } as VolumeAttachment;
  if (problem === null) checkAttached(whole, "h");
  else expect(() => checkAttached(whole, "h")).toThrow(problem);
});

test("createVolumesInUse: a volume is used until its last user has released it", () => {
  let changes = 0;
  const inUse = createVolumesInUse(() => changes++);
  const [a, b] = [
    { driver: "d", handle: "a" },
    { driver: "e", handle: "b" },
  ];
  inUse.hold(b, "pod-1");
  inUse.hold(a, "pod-1");
  inUse.hold(a, "pod-2");
  expect(changes).toBe(2);
  expect(inUse.names(() => true)).toEqual(["kubernetes.io/csi/d^a", "kubernetes.io/csi/e^b"]);
  expect(inUse.names(({ driver }) => driver === "e")).toEqual(["kubernetes.io/csi/e^b"]);
  inUse.release(a, "pod-2");
  inUse.release(a, "pod-3");
  expect(changes).toBe(2);
  inUse.releaseAll("pod-1");
  expect(changes).toBe(4);
  expect(inUse.names(() => true)).toEqual([]);
});
