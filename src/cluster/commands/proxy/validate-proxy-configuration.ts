import { At } from "../../../schema/language/report.ts";
import { parseDuration } from "../../../schema/values/duration.ts";
import { parseCidrSloppy, parseIpSloppy } from "../../../schema/values/ip.ts";
import { shownVersionProblem } from "../../flags/metrics-flags.ts";
import { modeSettings } from "./configured-settings.ts";
import type { ProxyConfiguration } from "./proxy-configuration.ts";

/** All problems of a configuration with its defaults, in upstream's words and order. */
export function proxyConfigurationProblems(config: ProxyConfiguration): readonly string[] {
  const root = At.root();
  const at = root.child("KubeProxyConfiguration");
  validateBit(config.iptables, at.child("KubeProxyIPTablesConfiguration"));
  if (config.mode === "nftables")
    validateBit(config.nftables, at.child("KubeProxyNFTablesConfiguration"));
  validateLinux(config, at.child("KubeProxyLinuxConfiguration"));
  if (!["", "iptables", "ipvs", "nftables"].includes(config.mode))
    at.child("Mode").invalid(
      "ProxyMode",
      config.mode,
      "must be iptables, ipvs, nftables or blank (blank means the best-available proxy [currently iptables])",
    );
  validateNotNegative("Burst", config.clientConnection.burst, at.child("ClientConnection"));
  validatePeriods(config, at);
  if (parseIpSloppy(config.bindAddress) === undefined)
    at.invalid(
      "BindAddress",
      config.bindAddress,
      "not a valid textual representation of an IP address",
    );
  if (config.healthzBindAddress !== "")
    validateHostPort("HealthzBindAddress", config.healthzBindAddress, at);
  validateHostPort("MetricsBindAddress", config.metricsBindAddress, at);
  validateNodePortAddresses(config.nodePortAddresses ?? [], at.child("NodePortAddresses"));
  const hidden = shownVersionProblem(config.showHiddenMetricsForVersion);
  if (hidden !== undefined)
    at.invalid(
      "ShowHiddenMetricsForVersion",
      config.showHiddenMetricsForVersion,
      `invalid showHiddenMetricsForVersion: showHiddenMetricsForVersion: ${hidden}`,
    );
  validateDetectLocal(config, at);
  return root.errors.map(({ field, message }) => `${field}: ${message}`);
}

function validateBit({ masqueradeBit: bit }: ProxyConfiguration["nftables"], at: At): void {
  if (bit < 0 || bit > 31) at.invalid("MasqueradeBit", bit, "must be within the range [0, 31]");
}

function validateLinux({ conntrack, oomScoreAdj }: ProxyConfiguration, at: At): void {
  const tracking = at.child("KubeProxyConntrackConfiguration");
  validateNotNegative("MaxPerCore", conntrack.maxPerCore, tracking);
  validateNotNegative("Min", conntrack.min, tracking);
  validateNotNegative("TCPEstablishedTimeout", conntrack.tcpEstablishedTimeout, tracking);
  validateNotNegative("TCPCloseWaitTimeout", conntrack.tcpCloseWaitTimeout, tracking);
  validateNotNegative("UDPTimeout", conntrack.udpTimeout, tracking);
  validateNotNegative("UDPStreamTimeout", conntrack.udpStreamTimeout, tracking);
  if (oomScoreAdj < -1000 || oomScoreAdj > 1000)
    at.invalid("OOMScoreAdj", oomScoreAdj, "must be within the range [-1000, 1000]");
}

function validatePeriods(config: ProxyConfiguration, at: At): void {
  const { syncPeriod, minSyncPeriod } = modeSettings(config);
  for (const [name, period] of [
    ["ConfigSyncPeriod", config.configSyncPeriod],
    ["SyncPeriod", syncPeriod],
  ] as const)
    if (parseDuration(period) <= 0n) at.invalid(name, period, "must be greater than 0");
  validateNotNegative("MinSyncPeriod", minSyncPeriod, at);
  if (parseDuration(minSyncPeriod) > parseDuration(syncPeriod))
    at.invalid(
      "SyncPeriod",
      minSyncPeriod,
      `must be greater than or equal to ${at.child("MinSyncPeriod").path}`,
    );
}

function validateNotNegative(name: string, value: number | string, at: At): void {
  const isNegative = typeof value === "number" ? value < 0 : parseDuration(value) < 0n;
  if (isNegative) at.invalid(name, value, "must be greater than or equal to 0");
}

function validateNodePortAddresses(addresses: readonly string[], at: At): void {
  for (const [i, address] of addresses.entries()) {
    if (address === "primary") {
      if (addresses.length > 1)
        at.index(i).invalid("", address, "can't use both 'primary' and CIDRs");
      return;
    }
    if (parseCidrSloppy(address) === undefined)
      at.index(i).invalid("", address, "must be a valid CIDR");
  }
}

const localModes = ["ClusterCIDR", "NodeCIDR", "BridgeInterface", "InterfaceNamePrefix", ""];

function validateDetectLocal(config: ProxyConfiguration, root: At): void {
  const { detectLocalMode: mode, detectLocal, clusterCIDR } = config;
  if (!localModes.includes(mode)) root.notSupported("DetectLocalMode", mode, localModes);
  const at = root.child("DetectLocalConfiguration");
  const { bridgeInterface: bridge, interfaceNamePrefix: prefix } = detectLocal;
  if (mode === "BridgeInterface" && bridge === "")
    at.invalid("InterfaceName", bridge, "must not be empty");
  if (mode === "InterfaceNamePrefix" && prefix === "")
    at.invalid("InterfacePrefix", prefix, "must not be empty");
  if (["", "ClusterCIDR"].includes(mode) && clusterCIDR !== "")
    validateClusterCidrs(clusterCIDR.split(","), at.child("ClusterCIDRs"));
}

const onePerFamily =
  "must be a either a single CIDR or dual-stack pair of CIDRs (e.g. [10.100.0.0/16, fde4:8dba:82e1::/48]";

function validateClusterCidrs(ranges: readonly string[], at: At): void {
  if (ranges.length > 2) {
    at.invalid("", ranges, onePerFamily);
    return;
  }
  const parsed = ranges.map(parseCidrSloppy);
  for (const [i, range] of ranges.entries())
    if (parsed[i] === undefined)
      at.index(i).invalid(
        "",
        range,
        "must be a valid CIDR block (e.g. 10.100.0.0/16 or fde4:8dba:82e1::/48)",
      );
  const [first, second] = parsed;
  if (first && second && first.ip.version === second.ip.version)
    at.invalid("", ranges, onePerFamily);
}

function validateHostPort(name: string, text: string, at: At): void {
  const match = /^(?:\[([^\]]*)\]|([^:]*)):([^:]*)$/.exec(text);
  if (!match) {
    at.invalid(name, text, "must be IP:port");
    return;
  }
  const [, bracketed, plain = "", port = ""] = match;
  const host = bracketed ?? plain;
  if (parseIpSloppy(host) === undefined) at.invalid(name, host, "must be a valid IP");
  const isPort = /^[+]?\d+$/.test(port) && Number(port) >= 1 && Number(port) <= 65535;
  if (!isPort) at.invalid(name, port, "must be a valid port");
}
