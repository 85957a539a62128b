import { expect, test } from "vitest";
import { hostNetworkHostsFile, podHostsFile } from "./hosts-file.ts";

const standard = [
  "# Kubernetes-managed hosts file.",
  "127.0.0.1\tlocalhost",
  "::1\tlocalhost ip6-localhost ip6-loopback",
  "fe00::0\tip6-localnet",
  "fe00::0\tip6-mcastprefix",
  "fe00::1\tip6-allnodes",
  "fe00::2\tip6-allrouters",
];
const aliases = [{ ip: "192.0.2.7", hostnames: ["one.example", "two.example"] }];

test("podHostsFile: a pod without a domain", () => {
  const file = podHostsFile({ hostname: "p", domain: "" }, ["10.1.0.2", "fd00::2"], aliases);
  expect(file.split("\n")).toEqual([
    ...standard,
    "10.1.0.2\tp",
    "fd00::2\tp",
    "",
    "# Entries added by HostAliases.",
    "192.0.2.7\tone.example\ttwo.example",
    "",
  ]);
});

test("podHostsFile: a pod with a domain", () => {
  const file = podHostsFile({ hostname: "h1", domain: "sub.ns.svc.cluster.local" }, ["10.1.0.2"]);
  expect(file.split("\n")).toEqual([...standard, "10.1.0.2\th1.sub.ns.svc.cluster.local\th1", ""]);
});

test("hostNetworkHostsFile: the file of the node, and aliases", () => {
  expect(hostNetworkHostsFile("127.0.0.1 localhost\n", aliases)).toBe(
    "# Kubernetes-managed hosts file (host network).\n127.0.0.1 localhost\n\n# Entries added by HostAliases.\n192.0.2.7\tone.example\ttwo.example\n",
  );
});
