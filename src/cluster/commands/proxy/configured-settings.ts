import type { ConntrackSettings } from "../../../network/proxy/conntrack-settings.ts";
import type { ProxySettings } from "../../../network/proxy/proxy-settings.ts";
import { durationMillis } from "../../../schema/values/duration.ts";
import type { ProxyConfiguration } from "./proxy-configuration.ts";

/** Settings that this version does not have. */
export function unsupportedProxySettings(config: ProxyConfiguration): readonly string[] {
  return [
    ...(["iptables", "ipvs"].includes(config.mode)
      ? [`mode ${config.mode} is not supported: services are programmed by nftables`]
      : []),
    ...(config.enableProfiling
      ? ["enableProfiling is not supported: /debug/pprof is not served"]
      : []),
  ];
}

/** The settings of the mode; a configuration without one was written for kube-proxy's default, iptables. */
export const modeSettings = ({
  mode,
  nftables,
  iptables,
}: ProxyConfiguration): ProxyConfiguration["nftables"] =>
  mode === "nftables" ? nftables : iptables;

/** The settings of the service proxy in a configuration. */
export function proxySettings(config: ProxyConfiguration): ProxySettings {
  const { masqueradeBit, masqueradeAll, minSyncPeriod, syncPeriod } = modeSettings(config);
  return {
    ...{ masqueradeBit, masqueradesAll: masqueradeAll },
    localTraffic: localTraffic(config),
    nodePortAddresses: nodePortAddresses(config),
    minSyncMs: durationMillis(minSyncPeriod),
    syncMs: durationMillis(syncPeriod),
  };
}

function localTraffic(config: ProxyConfiguration): ProxySettings["localTraffic"] {
  const { detectLocalMode: mode, detectLocal, clusterCIDR } = config;
  if (mode === "NodeCIDR") return { by: "node-ranges" };
  if (mode === "BridgeInterface") return { by: "interface", name: detectLocal.bridgeInterface };
  if (mode === "InterfaceNamePrefix")
    return { by: "interface", name: `${detectLocal.interfaceNamePrefix}*` };
  const ranges = clusterCIDR.split(",").filter((one) => one !== "");
  return ranges.length > 0 ? { by: "ranges", ranges } : { by: "nothing" };
}

/** All addresses have node ports where kube-proxy would use iptables, else only the node's own. */
function nodePortAddresses({
  mode,
  nodePortAddresses: given,
}: ProxyConfiguration): ProxySettings["nodePortAddresses"] {
  const ranges = given ?? [];
  if (ranges[0] === "primary" || (ranges.length === 0 && mode === "nftables")) return "primary";
  return ranges;
}

/** What a configuration says of tracked connections. */
export const conntrackSettings = ({ conntrack }: ProxyConfiguration): ConntrackSettings => ({
  ...{ maxPerCore: conntrack.maxPerCore, min: conntrack.min },
  tcpEstablishedMs: durationMillis(conntrack.tcpEstablishedTimeout),
  tcpCloseWaitMs: durationMillis(conntrack.tcpCloseWaitTimeout),
  tcpBeLiberal: conntrack.tcpBeLiberal,
  udpMs: durationMillis(conntrack.udpTimeout),
  udpStreamMs: durationMillis(conntrack.udpStreamTimeout),
});
