import { expect, test } from "vitest";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { forbiddenSysctl } from "./forbidden-sysctl.ts";

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
