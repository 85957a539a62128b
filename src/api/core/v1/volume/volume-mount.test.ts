import { expect } from "vitest";
import { each } from "../../../../../test/each.ts";
import { At } from "../../../../schema/language/report.ts";
import {
  type VolumeDevice,
  type VolumeMount,
  validateVolumeDevices,
  validateVolumeMounts,
} from "./volume-mount.ts";

const volumes = new Map([
  ["dir", {}],
  ["claim", { persistentVolumeClaim: {} }],
]);
const mount = (more: object = {}): VolumeMount => ({ name: "dir", mountPath: "/d", ...more });
const device = (more: object = {}): VolumeDevice => ({ name: "claim", devicePath: "/c", ...more });
const found = (validate: typeof validateVolumeMounts, container: object): readonly string[] => {
  const at = At.root();
  validate(container, at.child("v"), volumes);
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
};
const mounts = (...volumeMounts: readonly VolumeMount[]) =>
  found(validateVolumeMounts, { volumeMounts });
const devices = (...volumeDevices: readonly VolumeDevice[]) =>
  found(validateVolumeDevices, { volumeDevices });

each<[rule: string, errors: readonly string[], expected: readonly string[]]>([
  ["a volume of the pod at a path", mounts(mount()), []],
  [
    "name and path are required",
    mounts({ name: "", mountPath: "" }),
    ["v[0].name: Required value", 'v[0].name: Not found: ""', "v[0].mountPath: Required value"],
  ],
  [
    "paths are unique",
    mounts(mount(), mount()),
    ['v[1].mountPath: Invalid value: "/d": must be unique'],
  ],
  [
    "what is wrong with sub-paths is told of the list",
    mounts(mount({ subPath: "/a", subPathExpr: "../b" })),
    [
      'v.subPath: Invalid value: "/a": must be a relative path',
      'v[0].subPathExpr: Invalid value: "../b": subPathExpr and subPath are mutually exclusive',
      "v.subPathExpr: Invalid value: \"../b\": must not contain '..'",
    ],
  ],
  [
    "mounts of the node are changed by the privileged",
    mounts(mount({ mountPropagation: "Bidirectional" })),
    [
      "v.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers",
    ],
  ],
  [
    "read-only below needs read-only itself, without propagation",
    mounts(mount({ recursiveReadOnly: "Enabled", mountPropagation: "HostToContainer" })),
    [
      "v.recursiveReadOnly: Forbidden: may only be specified when readOnly is true",
      "v.recursiveReadOnly: Forbidden: may only be specified when mountPropagation is None or not specified",
    ],
  ],
  [
    "modes are among the known",
    mounts(mount({ recursiveReadOnly: "X", mountPropagation: "Y" })),
    [
      'v.mountPropagation: Unsupported value: "Y": supported values: "Bidirectional", "HostToContainer", "None"',
      'v.recursiveReadOnly: Unsupported value: "X": supported values: "Disabled", "Enabled", "IfPossible"',
    ],
  ],
  [
    "a volume is no mount and device at once",
    found(validateVolumeMounts, {
      volumeMounts: [mount({ name: "claim", mountPath: "/c" })],
      volumeDevices: [device()],
    }),
    [
      'v[0].name: Invalid value: "claim": must not already exist in volumeDevices',
      'v[0].mountPath: Invalid value: "/c": must not already exist as a path in volumeDevices',
    ],
  ],
])("validateVolumeMounts: %s", (_, errors, expected) => {
  expect(errors).toEqual(expected);
});

each<[rule: string, errors: readonly string[], expected: readonly string[]]>([
  ["a claim at a path", devices(device()), []],
  [
    "only claims are devices",
    devices(device({ name: "dir" })),
    [
      'v[0].name: Invalid value: "dir": can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
    ],
  ],
  [
    "names and paths are unique",
    devices(device(), device()),
    [
      'v[1].name: Invalid value: "claim": must be unique',
      'v[1].devicePath: Invalid value: "/c": must be unique',
    ],
  ],
  [
    "paths do not go up",
    devices(device({ devicePath: "/a/../b" })),
    ["v[0].devicePath: Invalid value: \"/a/../b\": can not contain backsteps ('..')"],
  ],
])("validateVolumeDevices: %s", (_, errors, expected) => {
  expect(errors).toEqual(expected);
});
