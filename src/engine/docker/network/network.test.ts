import { describe, expect, test } from "vitest";
import {
  contains,
  formatAddress,
  formatSubnet,
  freeAddress,
  freeSubnet,
  macAddressOf,
  overlaps,
  parseAddress,
  parseSubnet,
  type Subnet,
} from "../../network/ipv4.ts";
import { configOf, hostOf } from "../create/create.test-support.ts";
import { extraHost, hostsFile, resolverFile } from "./etc-files.ts";
import { networkRules } from "./network-rules.ts";
import { portRequests } from "./port-requests.ts";

const subnet = (text: string): Subnet => {
  const parsed = parseSubnet(text);
  if (!parsed) throw new Error(text);
  return parsed;
};

describe("addresses", () => {
  test.each<[text: string, address: number | undefined]>([
    ["172.17.0.2", 0xac110002],
    ["255.255.255.255", 0xffffffff],
    ["1.2.3", undefined],
    ["1.2.3.256", undefined],
    ["01.2.3.4", undefined],
  ])("parseAddress: %s", (text, address) => {
    expect(parseAddress(text)).toBe(address);
    if (address !== undefined) expect(formatAddress(address)).toBe(text);
  });

  test("subnets", () => {
    expect(formatSubnet(subnet("10.1.2.3/16"))).toBe("10.1.0.0/16");
    expect(parseSubnet("10.0.0.0/33")).toBeUndefined();
    expect(overlaps(subnet("10.1.0.0/16"), subnet("10.1.5.0/24"))).toBe(true);
    expect(overlaps(subnet("10.1.0.0/16"), subnet("10.2.0.0/16"))).toBe(false);
    expect(contains(subnet("10.1.0.0/30"), 0x0a010003)).toBe(true);
    expect(macAddressOf(0xac110002)).toBe("02:42:ac:11:00:02");
  });

  test("freeAddress: the lowest, but neither the first nor the last", () => {
    const small = subnet("10.0.0.0/30");
    expect(freeAddress(small, small, new Set())).toBe(0x0a000001);
    expect(freeAddress(small, small, new Set([0x0a000001]))).toBe(0x0a000002);
    expect(freeAddress(small, small, new Set([0x0a000001, 0x0a000002]))).toBeUndefined();
  });

  test("freeSubnet: the first that overlaps none", () => {
    const pools = [{ subnet: subnet("10.0.0.0/22"), prefixLength: 24 }];
    const taken = [subnet("10.0.0.0/24"), subnet("10.0.1.128/25")];
    const free = freeSubnet(pools, taken);
    expect(free && formatSubnet(free)).toBe("10.0.2.0/24");
    expect(freeSubnet(pools, [subnet("10.0.0.0/8")])).toBeUndefined();
  });
});

test("portRequests: bindings, and with -P what is exposed", () => {
  const config = configOf({ ExposedPorts: { "80/tcp": {}, "53/udp": {} } });
  const host = hostOf({
    PortBindings: { "80/tcp": [{ HostIp: "127.0.0.1", HostPort: "8080-8090" }] },
    PublishAllPorts: true,
  });
  expect(portRequests(config, host)).toEqual([
    { port: 80, protocol: "tcp", hostIp: "127.0.0.1", first: 8080, last: 8090 },
    { port: 53, protocol: "udp", hostIp: "", first: 0, last: 0 },
  ]);
  expect(portRequests(config, hostOf())).toEqual([]);
});

test("networkRules: ports, masquerading and isolation in one table", () => {
  const rules = networkRules("t", [
    {
      interface: "b0",
      subnet: "10.0.0.0/24",
      isInternal: false,
      endpoints: [
        { address: "10.0.0.2", ports: { "80/tcp": [{ hostIp: "0.0.0.0", hostPort: 8080 }] } },
      ],
    },
    { interface: "b1", subnet: "10.0.1.0/24", isInternal: true, endpoints: [] },
  ]);
  const lines = rules.split("\n").map((line) => line.trim());
  expect(lines.slice(0, 3)).toEqual(["table inet t", "delete table inet t", "table inet t {"]);
  for (const line of [
    "meta nfproto ipv4 tcp dport 8080 dnat ip to 10.0.0.2:80",
    'ip saddr 10.0.0.0/24 oifname != "b0" masquerade',
    "ip saddr 10.0.0.2 ip daddr 10.0.0.2 masquerade",
    'iifname "b0" ip daddr 127.0.0.0/8 drop',
    'iifname "b1" oifname != "b1" drop',
    'iifname "b0" oifname "b1" ct status != dnat drop',
  ])
    expect(lines).toContain(line);
  expect(rules).not.toContain('ip saddr 10.0.1.0/24 oifname != "b1" masquerade');
});

describe("files in /etc", () => {
  test("hostsFile and extraHost", () => {
    const text = hostsFile([extraHost("gate:host-gateway", "10.0.0.1"), extraHost("v6=[::5]", "")]);
    expect(text).toContain("127.0.0.1\tlocalhost\n");
    expect(text).toContain("10.0.0.1\tgate\n::5\tv6\n");
  });

  test("resolverFile: loopback servers are left out, own settings win", () => {
    const none = { servers: [], search: [], options: [] };
    const host = "nameserver 127.0.0.53\nnameserver 10.0.0.9\nsearch a.test\noptions ndots:2\n";
    expect(resolverFile(host, none, false)).toBe(
      "nameserver 10.0.0.9\nsearch a.test\noptions ndots:2\n",
    );
    expect(resolverFile(host, none, true)).toContain("127.0.0.53");
    expect(resolverFile(host, { servers: ["1.1.1.1"], search: ["."], options: ["x"] }, false)).toBe(
      "nameserver 1.1.1.1\noptions x\n",
    );
  });
});
