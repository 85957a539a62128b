import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import type { PortMapping } from "../../cri/linux-types.ts";
import { portMapping as mapping } from "./host-port-mapping.test-support.ts";
import { hostPortRules, type MappedPod, portEntries } from "./host-port-rules.ts";

const pod = (addresses: readonly string[], ...mappings: readonly PortMapping[]): MappedPod => ({
  ...{ addresses, mappings },
});
const v4 = "10.1.2.2";
const v6 = "fd00::2";

each<[what: string, pods: readonly MappedPod[], entries: readonly string[]]>([
  ["a port without one of the node", [pod([v4], mapping({ hostPort: 0 }))], []],
  [
    "all addresses, of each family of the pod",
    [pod([v4, v6], mapping())],
    ["4 * tcp . 8080 : 10.1.2.2 . 80", "6 * tcp . 8080 : fd00::2 . 80"],
  ],
  [
    "one address has one family",
    [pod([v4, v6], mapping({ hostIp: "192.0.2.1", protocol: "UDP" }))],
    ["4 192.0.2.1 udp . 8080 : 10.1.2.2 . 80"],
  ],
  [
    "the unspecified address means all of its family",
    [pod([v4, v6], mapping({ hostIp: "0.0.0.0" }), mapping({ hostIp: "::", hostPort: 81 }))],
    ["4 * tcp . 8080 : 10.1.2.2 . 80", "6 * tcp . 81 : fd00::2 . 80"],
  ],
  ["the loopback of IPv6 leads nowhere", [pod([v6], mapping({ hostIp: "::1" }))], []],
  [
    "the first of two pods with one port has it",
    [pod([v4], mapping()), pod(["10.1.2.3"], mapping(), mapping({ protocol: "SCTP" }))],
    ["4 * tcp . 8080 : 10.1.2.2 . 80", "4 * sctp . 8080 : 10.1.2.3 . 80"],
  ],
  [
    "a port at one address beside that at all others",
    [pod([v4], mapping()), pod(["10.1.2.3"], mapping({ hostIp: "127.0.0.1" }))],
    ["4 * tcp . 8080 : 10.1.2.2 . 80", "4 127.0.0.1 tcp . 8080 : 10.1.2.3 . 80"],
  ],
])("portEntries: %s", (_, pods, entries) => {
  const found = portEntries(pods).map(
    ({ version, hostIp = "*", port, target }) => `${version} ${hostIp} ${port} : ${target}`,
  );
  expect(found).toEqual(entries);
});

test("hostPortRules: without ports only the table before is removed", () => {
  expect(hostPortRules([])).toBe(
    "table inet wherry-hostports\ndelete table inet wherry-hostports\n",
  );
});
