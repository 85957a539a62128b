import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { defaultProxyConfiguration } from "./parse-proxy-configuration.ts";
import type { ProxyConfiguration } from "./proxy-configuration.ts";
import { proxyConfigurationProblems } from "./validate-proxy-configuration.ts";

const usual = defaultProxyConfiguration();
const { nftables, iptables } = usual;

each<[what: string, given: Partial<ProxyConfiguration>, problems: readonly string[]]>([
  ["the defaults", {}, []],
  [
    "a negative period",
    { configSyncPeriod: "-1s" },
    ['ConfigSyncPeriod: Invalid value: "-1s": must be greater than 0'],
  ],
  ["hidden metrics of the version before", { showHiddenMetricsForVersion: "1.35" }, []],
  [
    "hidden metrics of an older version",
    { showHiddenMetricsForVersion: "1.34" },
    [
      `ShowHiddenMetricsForVersion: Invalid value: "1.34": invalid showHiddenMetricsForVersion: showHiddenMetricsForVersion: Invalid value: "1.34": must be omitted or have the value '1.35'; only the previous minor version is allowed`,
    ],
  ],
  [
    "an address without a port",
    { metricsBindAddress: "node-1" },
    ['MetricsBindAddress: Invalid value: "node-1": must be IP:port'],
  ],
  [
    "an address that is a name, and a port that is none",
    { healthzBindAddress: "node-1:70000" },
    [
      'HealthzBindAddress: Invalid value: "node-1": must be a valid IP',
      'HealthzBindAddress: Invalid value: "70000": must be a valid port',
    ],
  ],
  [
    "primary beside a range",
    { nodePortAddresses: ["10.0.0.0/8", "primary"] },
    [`NodePortAddresses[1]: Invalid value: "primary": can't use both 'primary' and CIDRs`],
  ],
  [
    "a bit that marks do not have",
    { mode: "nftables", nftables: { ...nftables, masqueradeBit: 32 } },
    [
      "KubeProxyNFTablesConfiguration.MasqueradeBit: Invalid value: 32: must be within the range [0, 31]",
    ],
  ],
  ["a bit of another mode", { nftables: { ...nftables, masqueradeBit: 32 } }, []],
  [
    "periods of the mode, the least of which is longer",
    { mode: "nftables", nftables: { ...nftables, minSyncPeriod: "1m0s" } },
    [
      'SyncPeriod: Invalid value: "1m0s": must be greater than or equal to KubeProxyConfiguration.MinSyncPeriod',
    ],
  ],
  [
    "without a mode, periods of iptables",
    {
      iptables: { ...iptables, minSyncPeriod: "-1s" },
      nftables: { ...nftables, minSyncPeriod: "1m0s" },
    },
    ['MinSyncPeriod: Invalid value: "-1s": must be greater than or equal to 0'],
  ],
  [
    "a mode that there is not",
    { mode: "fast" },
    [
      'Mode.ProxyMode: Invalid value: "fast": must be iptables, ipvs, nftables or blank (blank means the best-available proxy [currently iptables])',
    ],
  ],
  [
    "a way to know pods that there is not",
    { detectLocalMode: "Guess" },
    [
      'DetectLocalMode: Unsupported value: "Guess": supported values: "ClusterCIDR", "NodeCIDR", "BridgeInterface", "InterfaceNamePrefix", ""',
    ],
  ],
  [
    "an interface that is not named",
    { detectLocalMode: "BridgeInterface" },
    ['DetectLocalConfiguration.InterfaceName: Invalid value: "": must not be empty'],
  ],
  [
    "two ranges of one family",
    { clusterCIDR: "10.1.0.0/16,10.2.0.0/16" },
    [
      'DetectLocalConfiguration.ClusterCIDRs: Invalid value: ["10.1.0.0/16","10.2.0.0/16"]: must be a either a single CIDR or dual-stack pair of CIDRs (e.g. [10.100.0.0/16, fde4:8dba:82e1::/48]',
    ],
  ],
  [
    "a range that is none",
    { clusterCIDR: "fd00::/48,pods" },
    [
      'DetectLocalConfiguration.ClusterCIDRs[1]: Invalid value: "pods": must be a valid CIDR block (e.g. 10.100.0.0/16 or fde4:8dba:82e1::/48)',
    ],
  ],
  [
    "numbers below zero",
    { conntrack: { ...usual.conntrack, min: -1, udpTimeout: "-1s" }, oomScoreAdj: -1001 },
    [
      "KubeProxyLinuxConfiguration.KubeProxyConntrackConfiguration.Min: Invalid value: -1: must be greater than or equal to 0",
      'KubeProxyLinuxConfiguration.KubeProxyConntrackConfiguration.UDPTimeout: Invalid value: "-1s": must be greater than or equal to 0',
      "KubeProxyLinuxConfiguration.OOMScoreAdj: Invalid value: -1001: must be within the range [-1000, 1000]",
    ],
  ],
])("proxyConfigurationProblems: %s", (_, given, problems) => {
  const expected = problems.map((problem) => `KubeProxyConfiguration.${problem}`);
  expect(proxyConfigurationProblems({ ...usual, ...given })).toEqual(expected);
});
