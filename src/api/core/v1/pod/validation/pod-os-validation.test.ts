import { expect } from "vitest";
import { each } from "../../../../../../test/each.ts";
import { faults, podOf } from "../pod.test-support.ts";
import { validatePodOs, validateWindowsHostProcess } from "./pod-os-validation.ts";

const windows = { windowsOptions: { hostProcess: true } };

each<[string, object, readonly string[]]>([
  ["none need be given", {}, []],
  ["but not an empty one", { os: { name: "" } }, ["os.name: Required value"]],
  [
    "nor one that is not known",
    { os: { name: "plan9" } },
    ['os: Unsupported value: "plan9": supported values: "linux", "windows"'],
  ],
  [
    "Linux has no Windows options",
    {
      os: { name: "linux" },
      securityContext: windows,
      containers: [{ name: "c", image: "i", securityContext: windows }],
    },
    [
      "securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod",
      "containers[0].securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod",
    ],
  ],
  [
    "Windows lacks much, reported in upstream's order",
    {
      os: { name: "windows" },
      hostPID: true,
      hostUsers: true,
      securityContext: { runAsUser: 1, fsGroup: 1, seLinuxOptions: {} },
      containers: [
        { name: "c", image: "i", securityContext: { privileged: false, capabilities: {} } },
      ],
    },
    [
      "securityContext.seLinuxOptions",
      "hostUsers",
      "hostPID",
      "securityContext.fsGroup",
      "securityContext.runAsUser",
      "containers[0].securityContext.capabilities",
      "containers[0].securityContext.privileged",
    ].map((field) => `${field}: Forbidden: cannot be set for a windows pod`),
  ],
])("validatePodOs: %s", (_, spec, expected) => {
  expect(faults((at) => validatePodOs(podOf({ spec }).spec, at))).toEqual(expected);
});

each<[string, object, readonly string[]]>([
  [
    "all containers or none are processes of the node",
    { hostNetwork: true, securityContext: windows },
    [],
  ],
  [
    "not some of them",
    {
      hostNetwork: true,
      containers: [
        { name: "a", image: "i", securityContext: windows },
        { name: "b", image: "i" },
      ],
    },
    [
      'Invalid value: "": If pod contains any hostProcess containers then all containers must be HostProcess containers',
    ],
  ],
  [
    "and they use its network",
    { securityContext: windows },
    [
      "hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers",
    ],
  ],
  [
    "a container does not contradict the pod",
    {
      hostNetwork: true,
      securityContext: windows,
      containers: [
        { name: "a", image: "i", securityContext: { windowsOptions: { hostProcess: false } } },
      ],
    },
    [
      "containers[0].securityContext.windowsOptions.hostProcess: Invalid value: false: pod hostProcess value must be identical if both are specified, was true",
    ],
  ],
])("validateWindowsHostProcess: %s", (_, spec, expected) => {
  expect(faults((at) => validateWindowsHostProcess(podOf({ spec }).spec, at))).toEqual(expected);
});
