import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { linuxPod, linuxSettings, recorder } from "./linux.test-support.ts";
import type { LinuxSettings } from "./linux-settings.ts";
import { podDns } from "./pod-dns.ts";
import { parseResolvConf, resolvConfProblem } from "./resolv-conf.ts";

const cluster = "ns.svc.cluster.local svc.cluster.local cluster.local";
const ofNode = "192.0.2.1 | example.com | timeout:1";
const ofCluster = `10.0.0.10 | ${cluster} example.com | ndots:5`;
const missing =
  'kubelet does not have ClusterDNS IP configured and cannot create Pod using "ClusterFirst" policy. Falling back to "Default" policy.';

each<[string, object, Partial<LinuxSettings>, string, string[]]>([
  ["ClusterFirst", {}, {}, ofCluster, []],
  ["on the network of the node", { hostNetwork: true }, {}, ofNode, []],
  [
    "ClusterFirstWithHostNet",
    { hostNetwork: true, dnsPolicy: "ClusterFirstWithHostNet" },
    {},
    ofCluster,
    [],
  ],
  ["Default", { dnsPolicy: "Default" }, {}, ofNode, []],
  ["None", { dnsPolicy: "None", dnsConfig: { nameservers: ["1.1.1.1"] } }, {}, "1.1.1.1 |  | ", []],
  ["no domain of the cluster", {}, { clusterDomain: "" }, "10.0.0.10 | example.com | ndots:5", []],
  [
    "no name server of the cluster",
    {},
    { clusterDns: [] },
    ofNode,
    [`node MissingClusterDNS: ${missing}`, `pod MissingClusterDNS: pod: "p_ns(u1)". ${missing}`],
  ],
  [
    "no resolver file",
    { dnsPolicy: "Default" },
    { resolvConf: undefined, nodeIPs: ["192.0.2.9", "fd00::9"] },
    "127.0.0.1 ::1 | . | ",
    [],
  ],
  [
    "additions of the pod, once each",
    {
      dnsConfig: {
        nameservers: ["10.0.0.10", "10.0.0.11"],
        searches: ["svc.cluster.local", "extra.example"],
        options: [{ name: "ndots", value: "2" }, { name: "edns0" }],
      },
    },
    {},
    `10.0.0.10 10.0.0.11 | ${cluster} example.com extra.example | ndots:2 edns0`,
    [],
  ],
  [
    "too many name servers",
    { dnsConfig: { nameservers: ["10.0.0.11", "10.0.0.12", "10.0.0.13"] } },
    {},
    `10.0.0.10 10.0.0.11 10.0.0.12 | ${cluster} example.com | ndots:5`,
    [
      "pod DNSConfigForming: Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: 10.0.0.10 10.0.0.11 10.0.0.12",
    ],
  ],
  [
    "too long a domain",
    { dnsConfig: { searches: ["x".repeat(254)] } },
    {},
    ofCluster,
    [
      `pod DNSConfigForming: Search Line limits were exceeded, some search paths have been omitted, the applied search line is: ${cluster} example.com`,
    ],
  ],
])("podDns: %s", (_, spec, settings, expected, expectedEvents) => {
  const { record, events } = recorder();
  const dns = podDns(linuxPod(spec), { ...linuxSettings, ...settings }, record);
  const text = [dns.servers, dns.searches, dns.options].map((list) => list.join(" "));
  expect(text.join(" | ")).toBe(expected);
  expect(events).toEqual(expectedEvents);
});

each<[string, readonly string[], number]>([
  ["at most 32 domains", Array.from({ length: 40 }, (_, i) => `d${i}`), 32],
  ["at most 2048 characters", Array.from({ length: 20 }, (_, i) => `${"x".repeat(200)}${i}`), 10],
])("podDns: %s", (_, searches, expected) => {
  const { record, events } = recorder();
  const pod = linuxPod({ dnsPolicy: "None", dnsConfig: { nameservers: ["1.1.1.1"], searches } });
  expect(podDns(pod, linuxSettings, record).searches.length).toBe(expected);
  expect(events.length).toBe(1);
});

each<[string, string, string]>([
  ["name servers add up", "nameserver 1.1.1.1\n nameserver\t2.2.2.2 x\n", "1.1.1.1 2.2.2.2 |  | "],
  ["the last search line counts", "search a b\nsearch c. . d\n", " | c d | "],
  ["the last of each option counts", "options a:1 b\noptions a:2\n", " |  | a:2 b"],
  ["comments and other words", "# nameserver 1.1.1.1\n#x\n\nsortlist 1\n", " |  | "],
])("parseResolvConf: %s", (_, text, expected) => {
  const { servers, searches, options } = parseResolvConf(text);
  expect([servers, searches, options].map((list) => list.join(" ")).join(" | ")).toBe(expected);
});

test("podDns: a line without a name server is an error", () => {
  const { record } = recorder();
  const settings = { ...linuxSettings, resolvConf: "nameserver\n" };
  expect(() => podDns(linuxPod(), settings, record)).toThrow(
    "Encountered error while parsing resolv conf file. Error: nameserver list is empty ",
  );
});

const domains = (count: number, length = 3): string =>
  `search ${Array.from({ length: count }, (_, i) => `${i}`.padEnd(length, "x")).join(" ")}\n`;

each<[string, string, string | undefined]>([
  ["", "cluster.local", undefined],
  ["nameserver\n", "", "nameserver list is empty "],
  [domains(29), "cluster.local", undefined],
  [
    domains(30),
    "cluster.local",
    "Resolv.conf file '/r' contains search line consisting of more than 29 domains!",
  ],
  [domains(30), "", undefined],
  [
    domains(1, 254),
    "",
    'Resolv.conf file "/r" contains a search path which length is more than allowed 253 chars!',
  ],
  [
    domains(9, 250),
    "",
    "Resolv.conf file '/r' contains search line which length is more than allowed 2048 chars!",
  ],
])("resolvConfProblem: %j with the domain %j", (text, clusterDomain, expected) => {
  expect(resolvConfProblem({ path: "/r", text, clusterDomain })).toBe(expected);
});
