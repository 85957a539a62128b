import { expect, test } from "vitest";
import { each } from "../../../../../test/each.ts";
import { faults } from "./pod.test-support.ts";
import { type PodDNSConfig, validatePodDnsConfig } from "./pod-dns.ts";

const many = (count: number, of: string) => Array.from({ length: count }, () => of);

each<[string, PodDNSConfig | undefined, string, readonly string[]]>([
  ["nothing is needed", undefined, "ClusterFirst", []],
  [
    "None needs a configuration",
    undefined,
    "None",
    ["Required value: must provide `dnsConfig` when `dnsPolicy` is None"],
  ],
  [
    "with a server in it",
    {},
    "None",
    [
      "nameservers: Required value: must provide at least one DNS nameserver when `dnsPolicy` is None",
    ],
  ],
  [
    "servers are few, and addresses",
    { nameservers: ["192.0.2.1", "192.0.2.2", "::1", "x"] },
    "Default",
    [
      'nameservers: Invalid value: ["192.0.2.1","192.0.2.2","::1","x"]: must not have more than 3 nameservers',
      'nameservers[3]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
  ],
  [
    "searches may be the root, end in a dot, and have underscores",
    { searches: [".", "a.b.", "_x.y"] },
    "Default",
    [],
  ],
  [
    "options have names",
    { options: [{ name: "a" }, { value: "b" }] },
    "Default",
    ["options[1]: Required value: must not be empty"],
  ],
])("validatePodDnsConfig: %s", (_, config, policy, expected) => {
  expect(faults((at) => validatePodDnsConfig(config, policy, at))).toEqual(expected);
});

test("validatePodDnsConfig: searches are not too many, and not too long together", () => {
  const kinds = (searches: readonly string[]) =>
    faults((at) => validatePodDnsConfig({ searches }, "Default", at)).map((fault) =>
      fault.replace(/: Invalid value: .*: must/, ": must"),
    );
  expect(kinds(many(33, "a"))).toEqual(["searches: must not have more than 32 search paths"]);
  expect(kinds(many(32, "a".repeat(63)))).toEqual([]);
  expect(kinds(many(32, `${"a".repeat(63)}.b`))).toEqual([
    "searches: must not have more than 2048 characters (including spaces) in the search list",
  ]);
});
