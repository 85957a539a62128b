import { hostPort } from "../../../base/network.ts";
import { dropZeroPeriods, period } from "../../../kubelet/config/fields/field-kinds.ts";
import { LoggingConfiguration } from "../../../kubelet/config/fields/logging.ts";
import {
  bool,
  double,
  duration,
  type Field,
  int32,
  mapOf,
  string,
  strings,
  value,
} from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { boolType } from "../../../schema/language/type.ts";
import { parseIpSloppy, unmap } from "../../../schema/values/ip.ts";

export const proxyConfigurationVersion = "kubeproxy.config.k8s.io/v1alpha1";
export const proxyConfigurationKind = "KubeProxyConfiguration";

const prefix = "io.k8s.kube-proxy.config.v1alpha1";

/** Written as it is, also when it is empty; there is no default. */
const text = (tag: number): Field<string, "present"> => string(tag).always();
const flag = (tag: number): Field<boolean, "present"> => bool(tag).always();

const ClientConnection = struct(
  "io.k8s.component-base.config.v1alpha1.ClientConnectionConfiguration",
  {
    kubeconfig: text(1).doc("The path of a kubeconfig file."),
    acceptContentTypes: text(2).doc("The accepted content types."),
    contentType: string(3)
      .default("application/vnd.kubernetes.protobuf")
      .doc("The content type of requests."),
    qps: double(4).default(5).doc("Average requests per second."),
    burst: int32(5).default(10).doc("Requests that may be sent at once."),
  },
).doc("The connection to the API server.");

const periods = {
  syncPeriod: period(11).default("30s").doc("How often rules are written again."),
  minSyncPeriod: period(12).default("1s").doc("The least time between two changes."),
};
const masquerading = {
  masqueradeBit: int32(1).nullable().default(14).doc("The bit of marks of masqueraded packets."),
  masqueradeAll: flag(2).doc("Whether all traffic to cluster IPs is masqueraded."),
};

const IptablesConfiguration = struct(`${prefix}.KubeProxyIPTablesConfiguration`, {
  ...masquerading,
  localhostNodePorts: bool(3).nullable().default(true).doc("Whether localhost has node ports."),
  ...periods,
})
  .defaults((draft) => dropZeroPeriods(periods, draft))
  .doc("Settings of the mode iptables, and of a configuration without a mode.");

const ipvsPeriods = {
  syncPeriod: period(1).default("30s").doc("How often IPVS is written again."),
};
const IpvsConfiguration = struct(`${prefix}.KubeProxyIPVSConfiguration`, {
  ...ipvsPeriods,
  minSyncPeriod: period(2).doc("The least time between two changes."),
  scheduler: text(3).doc("The scheduler of IPVS."),
  excludeCIDRs: strings(4).nullable().doc("Ranges that IPVS leaves as they are."),
  strictARP: flag(5).doc("Whether ARP is strict."),
  tcpTimeout: period(6).doc("When idle TCP connections are forgotten."),
  tcpFinTimeout: period(7).doc("When TCP connections after FIN are forgotten."),
  udpTimeout: period(8).doc("When UDP flows are forgotten."),
})
  .defaults((draft) => dropZeroPeriods(ipvsPeriods, draft))
  .doc("Settings of the mode ipvs.");

const NftablesConfiguration = struct(`${prefix}.KubeProxyNFTablesConfiguration`, {
  ...masquerading,
  ...periods,
})
  .defaults((draft) => dropZeroPeriods(periods, draft))
  .doc("Settings of the mode nftables.");

const WinkernelConfiguration = struct(`${prefix}.KubeProxyWinkernelConfiguration`, {
  networkName: text(1).doc("The name of the network."),
  sourceVip: text(2).doc("The address of the source of load balanced traffic."),
  enableDSR: flag(3).doc("Whether endpoints respond directly."),
  rootHnsEndpointName: text(4).doc("The name of the endpoint of the root namespace."),
  forwardHealthCheckVip: flag(5).doc("Whether health checks are forwarded."),
}).doc("Settings of Windows.");

const DetectLocalConfiguration = struct(`${prefix}.DetectLocalConfiguration`, {
  bridgeInterface: text(1).doc("The bridge of pods."),
  interfaceNamePrefix: text(2).doc("How names of pods' interfaces start."),
}).doc("How traffic of pods is known.");

const ConntrackConfiguration = struct(`${prefix}.KubeProxyConntrackConfiguration`, {
  maxPerCore: int32(1)
    .nullable()
    .default(32 * 1024)
    .doc("The most tracked connections for each CPU; 0 leaves the limit as it is."),
  min: int32(2)
    .nullable()
    .default(128 * 1024)
    .doc("The least limit of tracked connections."),
  tcpEstablishedTimeout: duration(3)
    .nullable()
    .default("24h0m0s")
    .doc("When idle TCP connections are forgotten; 0 leaves it as it is."),
  tcpCloseWaitTimeout: duration(4)
    .nullable()
    .default("1h0m0s")
    .doc("When TCP connections in CLOSE_WAIT are forgotten."),
  tcpBeLiberal: flag(5).doc("Whether packets out of window are accepted."),
  udpTimeout: period(6).doc("When unanswered UDP flows are forgotten."),
  udpStreamTimeout: period(7).doc("When answered UDP flows are forgotten."),
}).doc("Settings of tracked connections.");

const anyAddress = "0.0.0.0";

const topPeriods = {
  configSyncPeriod: period(20).default("15m0s").doc("How often objects are read again."),
};

/** The configuration of kube-proxy, in upstream's order of fields. */
export const ProxyConfiguration = struct(`${prefix}.KubeProxyConfiguration`, {
  kind: string(101).default(proxyConfigurationKind).doc("KubeProxyConfiguration"),
  apiVersion: string(102).default(proxyConfigurationVersion).doc(proxyConfigurationVersion),
  featureGates: mapOf(1, boolType).default({}).doc("Features to switch on or off."),
  clientConnection: value(2, ClientConnection).doc("The connection to the API server."),
  logging: value(3, LoggingConfiguration).doc("How the log is written."),
  hostnameOverride: text(4).doc("The name of the node, instead of the host's."),
  bindAddress: string(5).default(anyAddress).doc("The primary address of the node."),
  healthzBindAddress: text(6).doc("The address and port of /healthz and /livez."),
  metricsBindAddress: text(7).doc("The address and port of /metrics."),
  bindAddressHardFail: flag(8).doc("Whether a port in use ends the proxy."),
  enableProfiling: flag(9).doc("Whether to serve /debug/pprof."),
  showHiddenMetricsForVersion: text(10).doc("The version whose hidden metrics to show."),
  mode: text(11).doc("nftables, or empty, which means the same."),
  iptables: value(12, IptablesConfiguration).doc("Settings without a mode."),
  ipvs: value(13, IpvsConfiguration).doc("Settings of the mode ipvs."),
  nftables: value(14, NftablesConfiguration).doc("Settings of the mode nftables."),
  winkernel: value(15, WinkernelConfiguration).doc("Settings of Windows."),
  detectLocalMode: text(16).doc("How traffic of pods is known."),
  detectLocal: value(17, DetectLocalConfiguration).doc("How traffic of pods is known."),
  clusterCIDR: text(18).doc("The ranges of pods' addresses, for ClusterCIDR."),
  nodePortAddresses: strings(19).nullable().doc("Ranges of the addresses that have node ports."),
  oomScoreAdj: int32(21).nullable().default(-999).doc("The oom_score_adj of the process."),
  conntrack: value(22, ConntrackConfiguration).doc("Settings of tracked connections."),
  ...topPeriods,
  portRange: text(23).doc("Has no effect."),
  windowsRunAsService: bool(24).doc("Whether the proxy is a service of Windows."),
})
  .defaults((draft) => {
    dropZeroPeriods(topPeriods, draft);
    const hosts = hostsBeside(draft.bindAddress || anyAddress);
    draft.healthzBindAddress = withPort(draft.healthzBindAddress || hosts.health, healthzPort);
    draft.metricsBindAddress = withPort(draft.metricsBindAddress || hosts.metrics, metricsPort);
  })
  .doc("The configuration of kube-proxy.");
export interface ProxyConfiguration extends Infer<typeof ProxyConfiguration> {}

export const healthzPort = 10256;
export const metricsPort = 10249;

/** Where the proxy serves by default follows the family of the address of its node. */
const hostsBeside = (bindAddress: string) =>
  isIpv4(bindAddress)
    ? { health: "0.0.0.0", metrics: "127.0.0.1" }
    : { health: "::", metrics: "::1" };

function isIpv4(text: string): boolean {
  const ip = parseIpSloppy(text);
  return ip !== undefined && unmap(ip).version === 4;
}

/** Appends a port to an address that has none; what is no address is left to validation. */
export const withPort = (address: string, port: number): string =>
  parseIpSloppy(address) ? hostPort(address, port) : address;
