import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { sysctlPath } from "./pod-namespaces.ts";
import { formatDns } from "./resolv-conf.ts";

each<[string, string]>([
  ["net.ipv4.ip_forward", "/proc/sys/net/ipv4/ip_forward"],
  ["net/ipv4/ip_forward", "/proc/sys/net/ipv4/ip_forward"],
  ["net.ipv4.conf.eth0/1.forwarding", "/proc/sys/net/ipv4/conf/eth0.1/forwarding"],
  ["net/ipv4/conf/eth0.1/forwarding", "/proc/sys/net/ipv4/conf/eth0.1/forwarding"],
])("sysctlPath: %s is %s", (name, path) => {
  expect(sysctlPath(name)).toBe(path);
});

each<[Parameters<typeof formatDns>[0], string]>([
  [{ servers: [], searches: [], options: [] }, ""],
  [
    { servers: ["10.0.0.10", "10.0.0.11"], searches: ["a.b", "c"], options: ["ndots:5"] },
    "search a.b c\nnameserver 10.0.0.10\nnameserver 10.0.0.11\noptions ndots:5\n",
  ],
])("formatDns: %j", (dns, text) => {
  expect(formatDns(dns)).toBe(text);
});
