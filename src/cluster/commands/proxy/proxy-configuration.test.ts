import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import {
  type ProxyConfiguration,
  parseProxyConfiguration,
  proxyConfigurationProblems,
  proxySettings,
  defaultProxyConfiguration as usual,
} from "./proxy-configuration.ts";
import { conntrackSettings } from "./proxy-flags.ts";

each<[what: string, given: Partial<ProxyConfiguration>, problems: readonly string[]]>([
  ["the defaults", {}, []],
  [
    "a period of zero",
    { configSyncPeriod: "0s" },
    ["KubeProxyConfiguration.ConfigSyncPeriod: Invalid value: 0s: must be greater than 0"],
  ],
  [
    "an address without a port",
    { metricsBindAddress: "127.0.0.1" },
    ['KubeProxyConfiguration.MetricsBindAddress: Invalid value: "127.0.0.1": must be IP:port'],
  ],
  [
    "primary beside a range",
    { nodePortAddresses: ["10.0.0.0/8", "primary"] },
    [
      `KubeProxyConfiguration.NodePortAddresses[1]: Invalid value: "primary": can't use both 'primary' and CIDRs`,
    ],
  ],
  [
    "a bit that marks do not have",
    { nftables: { ...usual.nftables, masqueradeBit: 32 } },
    [
      "KubeProxyConfiguration.KubeProxyNFTablesConfiguration.MasqueradeBit: Invalid value: 32: must be within the range [0, 31]",
    ],
  ],
  [
    "an interface that is not named",
    { detectLocalMode: "BridgeInterface" },
    [
      'KubeProxyConfiguration.DetectLocalConfiguration.InterfaceName: Invalid value: "": must not be empty',
    ],
  ],
])("proxyConfigurationProblems: %s", (_, given, problems) => {
  expect(proxyConfigurationProblems({ ...usual, ...given })).toEqual(problems);
});

test("parseProxyConfiguration: fields are merged with defaults, and unknown ones are named", () => {
  const head = "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n";
  const read = parseProxyConfiguration(
    `${head}nftables: {masqueradeAll: true}\nclusterCIDR: 10.1.0.0/16`,
  );
  expect(proxySettings(read)).toMatchObject({
    ...{ masqueradesAll: true, masqueradeBit: 14, minSyncMs: 1000 },
    localTraffic: { by: "ranges", ranges: ["10.1.0.0/16"] },
  });
  expect(() => parseProxyConfiguration(`${head}nftables: {colour: red}`)).toThrow(
    'unknown field "nftables.colour"',
  );
});

test("conntrackSettings: the limit follows the processors, and zeros change nothing", () => {
  expect([...conntrackSettings(usual, 2)]).toEqual([
    ["nf_conntrack_max", 131_072],
    ["nf_conntrack_tcp_timeout_established", 86_400],
    ["nf_conntrack_tcp_timeout_close_wait", 3600],
  ]);
  expect(conntrackSettings(usual, 64).get("nf_conntrack_max")).toBe(1 << 20);
});
