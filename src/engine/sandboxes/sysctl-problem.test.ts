import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { sysctlPath, sysctlProblem } from "./sysctl-problem.ts";

each<[string, string]>([
  ["net.ipv4.ip_forward", "/proc/sys/net/ipv4/ip_forward"],
  ["net/ipv4/ip_forward", "/proc/sys/net/ipv4/ip_forward"],
  ["net.ipv4.conf.eth0/1.forwarding", "/proc/sys/net/ipv4/conf/eth0.1/forwarding"],
  ["net/ipv4/conf/eth0.1/forwarding", "/proc/sys/net/ipv4/conf/eth0.1/forwarding"],
])("sysctlPath: %s is %s", (name, path) => {
  expect(sysctlPath(name)).toBe(path);
});

const own = { hostNetwork: false, hostIpc: false };
const hosts = { hostNetwork: true, hostIpc: true };

test("sysctlProblem: parameters of the pod's own namespaces may be set", () => {
  const allowed = [
    ...["net.ipv4.ip_unprivileged_port_start", "net/ipv4/tcp_syncookies", "kernel.shm_rmid_forced"],
    ...["kernel/shmmax", "fs.mqueue.msg_max", "kernel.domainname", "net.ipv4.conf.eth0/1.mtu"],
  ];
  expect(allowed.flatMap((name) => sysctlProblem(name, own) ?? [])).toEqual([]);
});

test("sysctlProblem: parameters of the node, and other files, may not", () => {
  const refused = [
    ...["kernel.core_pattern", "vm.swappiness", "fs.file-max", "kernel/panic", "fs.mqueuex.y"],
    ...["net/../kernel/core_pattern", "net/../../../etc/passwd", "net.//.//.kernel", "", "net."],
    ...["net/./x", "net//x", "net.ipv4\0", "networks.x", "/net/ipv4/x"],
  ];
  for (const name of refused)
    expect(sysctlProblem(name, own)).toBe(
      `sysctl ${JSON.stringify(name)} is not in a separate kernel namespace`,
    );
  expect(sysctlProblem("kernel.hostname", own)).toContain("conflicts with the OCI");
});

test("sysctlProblem: without own namespaces nothing may be set", () => {
  expect([
    sysctlProblem("net.core.somaxconn", hosts),
    sysctlProblem("kernel.shmmax", hosts),
    sysctlProblem("kernel.domainname", hosts),
  ]).toEqual([
    'sysctl "net.core.somaxconn" not allowed in host network namespace',
    'sysctl "kernel.shmmax" is not allowed in the hosts ipc namespace',
    'sysctl "kernel.domainname" is not in a separate kernel namespace',
  ]);
});
