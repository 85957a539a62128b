import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { proxySettings } from "./configured-settings.ts";
import { defaultProxyConfiguration } from "./parse-proxy-configuration.ts";
import type { ProxyConfiguration } from "./proxy-configuration.ts";

const usual = defaultProxyConfiguration();

each<[what: string, given: Partial<ProxyConfiguration>, settings: object]>([
  [
    "the defaults",
    {},
    {
      ...{ masqueradeBit: 14, masqueradesAll: false, minSyncMs: 1000, syncMs: 30_000 },
      ...{ nodePortAddresses: [], localTraffic: { by: "nothing" } },
    },
  ],
  [
    "without a mode, what was written for iptables",
    { iptables: { ...usual.iptables, masqueradeAll: true, masqueradeBit: 3 } },
    { masqueradesAll: true, masqueradeBit: 3 },
  ],
  [
    "nftables, and only the node's own addresses",
    { mode: "nftables", nftables: { ...usual.nftables, syncPeriod: "1m0s" } },
    { masqueradesAll: false, syncMs: 60_000, nodePortAddresses: "primary" },
  ],
  [
    "nftables with ranges of addresses",
    { mode: "nftables", nodePortAddresses: ["10.0.0.0/8"] },
    { nodePortAddresses: ["10.0.0.0/8"] },
  ],
  [
    "ranges of pods",
    { clusterCIDR: "10.1.0.0/16,fd00::/48" },
    { localTraffic: { by: "ranges", ranges: ["10.1.0.0/16", "fd00::/48"] } },
  ],
  [
    "interfaces of pods",
    {
      detectLocalMode: "InterfaceNamePrefix",
      detectLocal: { ...usual.detectLocal, interfaceNamePrefix: "veth" },
    },
    { localTraffic: { by: "interface", name: "veth*" } },
  ],
])("proxySettings: %s", (_, given, settings) => {
  expect(proxySettings({ ...usual, ...given })).toMatchObject(settings);
});
