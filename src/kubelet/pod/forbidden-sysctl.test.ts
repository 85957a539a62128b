import { expect, test } from "vitest";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { allowedSysctlProblems, forbiddenSysctl } from "./forbidden-sysctl.ts";

test.each<[string, readonly string[], object, string | undefined]>([
  ["none is set", [], {}, undefined],
  ["all are safe", ["kernel.shm_rmid_forced", "net.ipv4.tcp_rmem"], {}, undefined],
  ["slashes are dots", ["kernel/shm_rmid_forced"], {}, undefined],
  [
    "the first that is not is told",
    ["net.ipv4.tcp_rmem", "kernel.msgmax", "kernel.sem"],
    {},
    'forbidden sysctl: "kernel.msgmax" not allowlisted',
  ],
  [
    "the node's network is not the pod's",
    ["net.ipv4.tcp_rmem"],
    { hostNetwork: true },
    'forbidden sysctl: "net.ipv4.tcp_rmem" not allowed with host Net enabled',
  ],
  ["but its own memory is", ["kernel.shm_rmid_forced"], { hostNetwork: true }, undefined],
  [
    "and the node's is not",
    ["kernel.shm_rmid_forced"],
    { hostIPC: true },
    'forbidden sysctl: "kernel.shm_rmid_forced" not allowed with host IPC enabled',
  ],
])("forbiddenSysctl: %s", (_, names, spec, message) => {
  const sysctls = names.map((name) => ({ name, value: "1" }));
  const pod = { spec: { securityContext: { sysctls }, ...spec } } as unknown as Pod;
  expect(forbiddenSysctl(pod)).toEqual(message && { reason: "SysctlForbidden", message });
});

test.each<[string, readonly string[], object, string | undefined]>([
  ["by name", ["kernel.msgmax"], {}, undefined],
  ["by name with slashes", ["kernel/msgmax"], {}, undefined],
  ["by prefix", ["kernel.msg*"], {}, undefined],
  [
    "others are not",
    ["kernel.msgmnb", "net.*"],
    {},
    'forbidden sysctl: "kernel.msgmax" not allowlisted',
  ],
  [
    "but not if the pod shares it with the node",
    ["kernel.msg*"],
    { hostIPC: true },
    'forbidden sysctl: "kernel.msgmax" not allowed with host IPC enabled',
  ],
])("forbiddenSysctl: a node allows unsafe ones: %s", (_, allowed, spec, message) => {
  const sysctls = [{ name: "kernel.msgmax", value: "1" }];
  const pod = { spec: { securityContext: { sysctls }, ...spec } } as unknown as Pod;
  expect(forbiddenSysctl(pod, allowed)).toEqual(message && { reason: "SysctlForbidden", message });
});

test.each<[string, string | undefined]>([
  ["kernel.msg*", undefined],
  ["kernel.shm_rmid_forced", undefined],
  ["net/ipv4/conf/eno2.100/rp_filter", undefined],
  ["net.ipv4.route.*", undefined],
  ["net.*", undefined],
  ["vm.swappiness", 'the sysctls "vm.swappiness" are not known to be namespaced'],
  ["kernel.*", 'the sysctls "kernel." are not known to be namespaced'],
  ["net*", 'the sysctls "net" are not known to be namespaced'],
  [
    "net.*.a",
    'sysctl "net.*.a" must have at most 253 characters and match regex ([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*([a-z0-9][-_a-z0-9]*)?[a-z0-9*]',
  ],
])("allowedSysctlProblems: %s", (one, problem) => {
  expect(allowedSysctlProblems([one])).toEqual(problem === undefined ? [] : [problem]);
});
