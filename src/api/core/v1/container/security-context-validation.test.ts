import { expect } from "vitest";
import { each } from "../../../../../test/each.ts";
import { At } from "../../../../schema/language/report.ts";
import type { PodSecurityContext, SecurityContext } from "./security-context.ts";
import {
  type PodNamespaces,
  validatePodSecurityContext,
  validateSecurityContext,
} from "./security-context-validation.ts";

const found = (rule: (at: At) => void): readonly string[] => {
  const at = At.root();
  rule(at.child("s"));
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
};
const ofContainer = (context: SecurityContext) =>
  found((at) => validateSecurityContext(context, at, { hostUsers: true }));
const ofPod = (context: PodSecurityContext, spec: PodNamespaces = {}, options = {}) =>
  found((at) => validatePodSecurityContext(context, at, { spec, options }));
const userName = (runAsUserName: string) => ofContainer({ windowsOptions: { runAsUserName } });
const range = "must be between 0 and 2147483647, inclusive";

each<[rule: string, errors: readonly string[], expected: readonly string[]]>([
  [
    "IDs are in range",
    ofContainer({ runAsUser: -1, runAsGroup: 2 ** 31 }),
    [
      `s.runAsUser: Invalid value: -1: ${range}`,
      `s.runAsGroup: Invalid value: 2147483648: ${range}`,
    ],
  ],
  [
    "who is privileged may escalate; the context is shown as Go has it",
    ofContainer({
      privileged: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
      seccompProfile: { type: "RuntimeDefault" },
    }),
    [
      's: Invalid value: {"Capabilities":{"Add":null,"Drop":["ALL"]},"Privileged":true,"SELinuxOptions":null,"WindowsOptions":null,"RunAsUser":null,"RunAsGroup":null,"RunAsNonRoot":null,"ReadOnlyRootFilesystem":null,"AllowPrivilegeEscalation":false,"ProcMount":null,"SeccompProfile":{"Type":"RuntimeDefault","LocalhostProfile":null},"AppArmorProfile":null}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
    ],
  ],
  [
    "a profile of the node is named, and no other is",
    ofContainer({
      seccompProfile: { type: "Unconfined", localhostProfile: "a" },
      appArmorProfile: { type: "Localhost", localhostProfile: " a" },
    }),
    [
      's.seccompProfile.localhostProfile: Invalid value: {"Type":"Unconfined","LocalhostProfile":"a"}: can only be set when seccomp type is Localhost',
      's.appArmorProfile.localhostProfile: Invalid value: " a": must not be padded with whitespace',
    ],
  ],
  [
    "profiles have a type",
    ofContainer({ seccompProfile: { type: "" }, appArmorProfile: { type: "X" } }),
    [
      "s.seccompProfile.type: Required value: type is required when seccompProfile is set",
      's.appArmorProfile.type: Unsupported value: "X": supported values: "Localhost", "RuntimeDefault", "Unconfined"',
    ],
  ],
  ["a Windows user may have a domain", userName("NT AUTHORITY\\SYSTEM"), []],
  [
    "but not two",
    userName("a\\b\\c"),
    [
      's.windowsOptions.runAsUserName: Invalid value: "a\\\\b\\\\c": runAsUserName cannot contain more than one backslash',
    ],
  ],
  [
    "and is a name",
    userName(".d\\"),
    [
      "s.windowsOptions.runAsUserName: Invalid value: \".d\\\\\": runAsUserName's Domain doesn't match the NetBios nor the DNS format",
      's.windowsOptions.runAsUserName: Invalid value: ".d\\\\": runAsUserName\'s User cannot be empty',
    ],
  ],
])("validateSecurityContext: %s", (_, errors, expected) => {
  expect(errors).toEqual(expected);
});

const sysctls = (...names: readonly string[]) => ({
  sysctls: names.map((name) => ({ name, value: "1" })),
});

each<[rule: string, errors: readonly string[], expected: readonly string[]]>([
  [
    "the group of files comes first",
    ofPod({ runAsUser: -1, fsGroup: -1, supplementalGroups: [0, -1] }),
    [
      `s.fsGroup: Invalid value: -1: ${range}`,
      `s.runAsUser: Invalid value: -1: ${range}`,
      `s.supplementalGroups[1]: Invalid value: -1: ${range}`,
    ],
  ],
  [
    "processes are shared with the node or within the pod",
    ofPod({}, { hostPID: true, shareProcessNamespace: true }),
    [
      "s.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled",
    ],
  ],
  [
    "sysctls are names, once each",
    ofPod(sysctls("net.ipv4.x", "net.ipv4.x", "A", "")),
    [
      's.sysctls[1].name: Duplicate value: "net.ipv4.x"',
      's.sysctls[2].name: Invalid value: "A": must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
      "s.sysctls[3].name: Required value",
    ],
  ],
  [
    "sysctls of a namespace of the node are the node's",
    ofPod(sysctls("net/ipv4/x", "kernel.shmmax", "fs.mqueue.y"), {
      hostNetwork: true,
      hostIPC: true,
    }),
    [
      "s.sysctls[0].name: Invalid value: \"net/ipv4/x\": may not be specified when 'hostNetwork' is true",
      "s.sysctls[1].name: Invalid value: \"kernel.shmmax\": may not be specified when 'hostIPC' is true",
      "s.sysctls[2].name: Invalid value: \"fs.mqueue.y\": may not be specified when 'hostIPC' is true",
    ],
  ],
  [
    "unless they were there before",
    ofPod(
      sysctls("net.ipv4.x"),
      { hostNetwork: true },
      { allowNamespacedSysctlsForHostNetAndHostIPC: true },
    ),
    [],
  ],
  [
    "policies are among the known",
    ofPod(
      {
        fsGroupChangePolicy: "X",
        supplementalGroupsPolicy: "Y",
        seLinuxChangePolicy: "MountOption",
      },
      {},
      { allowOnlyRecursiveSELinuxChangePolicy: true },
    ),
    [
      's.fsGroupChangePolicy: Unsupported value: "X": supported values: "Always", "OnRootMismatch"',
      's.supplementalGroupsPolicy: Unsupported value: "Y": supported values: "Merge", "Strict"',
      's.seLinuxChangePolicy: Unsupported value: "MountOption": supported values: "Recursive"',
    ],
  ],
])("validatePodSecurityContext: %s", (_, errors, expected) => {
  expect(errors).toEqual(expected);
});
