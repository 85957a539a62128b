import type { ProxySettings } from "../../../network/proxy/proxy-settings.ts";
import { formatDuration, parseDuration } from "../../../schema/values/duration.ts";
import { parseCidrSloppy, parseIpSloppy } from "../../../schema/values/ip.ts";
import { yamlToJson } from "../../../schema/yaml/yaml.ts";

/** A KubeProxyConfiguration (kubeproxy.config.k8s.io/v1alpha1) with all defaults; durations are texts. */
export type ProxyConfiguration = typeof defaultProxyConfiguration;

export const defaultProxyConfiguration = {
  apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
  kind: "KubeProxyConfiguration",
  featureGates: {} as Readonly<Record<string, boolean>>,
  clientConnection: {
    ...{ kubeconfig: "", acceptContentTypes: "" },
    ...{ contentType: "application/vnd.kubernetes.protobuf", qps: 5, burst: 10 },
  },
  logging: {} as Readonly<Record<string, unknown>>,
  hostnameOverride: "",
  bindAddress: "0.0.0.0",
  healthzBindAddress: "0.0.0.0:10256",
  metricsBindAddress: "127.0.0.1:10249",
  bindAddressHardFail: false,
  enableProfiling: false,
  showHiddenMetricsForVersion: "",
  mode: "",
  iptables: {
    ...{ masqueradeBit: 14, masqueradeAll: false, localhostNodePorts: true },
    ...{ syncPeriod: "30s", minSyncPeriod: "1s" },
  },
  ipvs: {
    ...{ syncPeriod: "30s", minSyncPeriod: "0s", scheduler: "", excludeCIDRs: [] as string[] },
    ...{ strictARP: false, tcpTimeout: "0s", tcpFinTimeout: "0s", udpTimeout: "0s" },
  },
  nftables: {
    ...{ masqueradeBit: 14, masqueradeAll: false, syncPeriod: "30s", minSyncPeriod: "1s" },
  },
  winkernel: {} as Readonly<Record<string, unknown>>,
  detectLocalMode: "",
  detectLocal: { bridgeInterface: "", interfaceNamePrefix: "" },
  clusterCIDR: "",
  nodePortAddresses: [] as string[],
  oomScoreAdj: -999,
  conntrack: {
    ...{ maxPerCore: 32_768, min: 131_072, tcpEstablishedTimeout: "24h0m0s" },
    ...{ tcpCloseWaitTimeout: "1h0m0s", tcpBeLiberal: false, udpTimeout: "0s" },
    udpStreamTimeout: "0s",
  },
  configSyncPeriod: "15m0s",
  portRange: "",
  windowsRunAsService: false,
};

/** Reads a file of configuration; throws an error that names what is wrong. */
export function parseProxyConfiguration(text: string): ProxyConfiguration {
  const read = yamlToJson(text);
  if (!isObject(read)) throw new Error("it is not an object");
  const { apiVersion, kind } = read;
  if (apiVersion !== defaultProxyConfiguration.apiVersion || kind !== "KubeProxyConfiguration")
    throw new Error(
      `it is a ${kind} of ${apiVersion}, not a KubeProxyConfiguration of ${defaultProxyConfiguration.apiVersion}`,
    );
  return merged(defaultProxyConfiguration, read, "") as ProxyConfiguration;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Given values over defaults, which say what fields there are and of what type. */
function merged(
  defaults: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, unknown>>,
  path: string,
): object {
  const result: Record<string, unknown> = { ...defaults };
  for (const [name, value] of Object.entries(given)) {
    const at = path === "" ? name : `${path}.${name}`;
    if (!Object.hasOwn(defaults, name)) throw new Error(`unknown field "${at}"`);
    if (value !== null && value !== undefined) result[name] = field(defaults[name], value, at);
  }
  return result;
}

/** The value of a field, which must be of the type of its default. */
function field(usual: unknown, value: unknown, at: string): unknown {
  if (Array.isArray(usual)) {
    if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value;
    throw new Error(`${at} should be a list of strings`);
  }
  if (isObject(usual)) {
    if (!isObject(value)) throw new Error(`${at} should be an object`);
    // Maps have no fields of their own.
    return Object.keys(usual).length === 0 ? value : merged(usual, value, at);
  }
  if (typeof value !== typeof usual) throw new Error(`${at} should be a ${typeof usual}`);
  return value;
}

/** What is wrong with a configuration, in upstream's words. */
export function proxyConfigurationProblems(config: ProxyConfiguration): readonly string[] {
  const { conntrack, clientConnection, nftables, iptables } = config;
  const root = "KubeProxyConfiguration";
  const linux = `${root}.KubeProxyLinuxConfiguration`;
  const tracking = `${linux}.KubeProxyConntrackConfiguration`;
  const inBit = (bit: number, path: string) =>
    when(bit < 0 || bit > 31, `${path}.MasqueradeBit`, bit, "must be within the range [0, 31]");
  const notNegative = (path: string, value: number | string) =>
    when(
      (typeof value === "number" ? value : milliseconds(value)) < 0,
      path,
      value,
      "must be greater than or equal to 0",
    );
  const positive = (path: string, value: string) =>
    when(milliseconds(value) <= 0, path, value, "must be greater than 0");
  const { syncPeriod, minSyncPeriod } = nftables;
  return [
    ...inBit(iptables.masqueradeBit, `${root}.KubeProxyIPTablesConfiguration`),
    ...inBit(nftables.masqueradeBit, `${root}.KubeProxyNFTablesConfiguration`),
    ...notNegative(`${tracking}.MaxPerCore`, conntrack.maxPerCore),
    ...notNegative(`${tracking}.Min`, conntrack.min),
    ...notNegative(`${tracking}.TCPEstablishedTimeout`, conntrack.tcpEstablishedTimeout),
    ...notNegative(`${tracking}.TCPCloseWaitTimeout`, conntrack.tcpCloseWaitTimeout),
    ...notNegative(`${tracking}.UDPTimeout`, conntrack.udpTimeout),
    ...notNegative(`${tracking}.UDPStreamTimeout`, conntrack.udpStreamTimeout),
    ...when(
      config.oomScoreAdj < -1000 || config.oomScoreAdj > 1000,
      `${linux}.OOMScoreAdj`,
      config.oomScoreAdj,
      "must be within the range [-1000, 1000]",
    ),
    ...when(
      !["", "iptables", "ipvs", "nftables"].includes(config.mode),
      `${root}.Mode.ProxyMode`,
      config.mode,
      "must be iptables, ipvs, nftables or blank (blank means the best-available proxy [currently iptables])",
    ),
    ...notNegative(`${root}.ClientConnection.Burst`, clientConnection.burst),
    ...positive(`${root}.ConfigSyncPeriod`, config.configSyncPeriod),
    ...positive(`${root}.SyncPeriod`, syncPeriod),
    ...notNegative(`${root}.MinSyncPeriod`, minSyncPeriod),
    ...when(
      milliseconds(minSyncPeriod) > milliseconds(syncPeriod),
      `${root}.SyncPeriod`,
      minSyncPeriod,
      `must be greater than or equal to ${root}.MinSyncPeriod`,
    ),
    ...when(
      parseIpSloppy(config.bindAddress) === undefined,
      `${root}.BindAddress`,
      config.bindAddress,
      "not a valid textual representation of an IP address",
    ),
    ...(config.healthzBindAddress === ""
      ? []
      : hostPortProblems(config.healthzBindAddress, `${root}.HealthzBindAddress`)),
    ...hostPortProblems(config.metricsBindAddress, `${root}.MetricsBindAddress`),
    ...nodePortProblems(config.nodePortAddresses, `${root}.NodePortAddresses`),
    ...localProblems(config, root),
  ];
}

function nodePortProblems(addresses: readonly string[], path: string): readonly string[] {
  const problems: string[] = [];
  for (const [i, address] of addresses.entries()) {
    if (address === "primary") {
      const isAlone = i === 0 && addresses.length === 1;
      return [
        ...problems,
        ...when(!isAlone, `${path}[${i}]`, address, "can't use both 'primary' and CIDRs"),
      ];
    }
    const isCidr = parseCidrSloppy(address) !== undefined;
    problems.push(...when(!isCidr, `${path}[${i}]`, address, "must be a valid CIDR"));
  }
  return problems;
}

function localProblems(
  { detectLocalMode: mode, detectLocal, clusterCIDR }: ProxyConfiguration,
  root: string,
): readonly string[] {
  const at = `${root}.DetectLocalConfiguration`;
  const supported = ["BridgeInterface", "ClusterCIDR", "InterfaceNamePrefix", "NodeCIDR", ""];
  if (!supported.includes(mode))
    return [
      `${root}.DetectLocalMode: Unsupported value: ${JSON.stringify(mode)}: supported values: ${["ClusterCIDR", "NodeCIDR", "BridgeInterface", "InterfaceNamePrefix", ""].map((one) => JSON.stringify(one)).join(", ")}`,
    ];
  const { bridgeInterface: bridge, interfaceNamePrefix: prefix } = detectLocal;
  if (mode === "BridgeInterface")
    return when(bridge === "", `${at}.InterfaceName`, bridge, "must not be empty");
  if (mode === "InterfaceNamePrefix")
    return when(prefix === "", `${at}.InterfacePrefix`, prefix, "must not be empty");
  const bad =
    clusterCIDR === "" ? -1 : clusterCIDR.split(",").findIndex((one) => !parseCidrSloppy(one));
  return when(
    bad >= 0,
    `${at}.ClusterCIDRs[${bad}]`,
    clusterCIDR.split(",")[bad] ?? "",
    "must be a valid CIDR block (e.g. 10.100.0.0/16 or fde4:8dba:82e1::/48)",
  );
}

function hostPortProblems(text: string, path: string): readonly string[] {
  const match = /^(?:\[([^\]]*)\]|([^:]*)):([^:]*)$/.exec(text);
  if (!match) return when(true, path, text, "must be IP:port");
  const host = match[1] ?? match[2] ?? "";
  const port = match[3] ?? "";
  const isPort = /^\d+$/.test(port) && Number(port) >= 1 && Number(port) <= 65535;
  return [
    ...when(parseIpSloppy(host) === undefined, path, host, "must be a valid IP"),
    ...when(!isPort, path, port, "must be a valid port"),
  ];
}

/** A problem, if there is one; durations are not quoted. */
function when(
  isWrong: boolean,
  path: string,
  value: string | number,
  why: string,
): readonly string[] {
  if (!isWrong) return [];
  const isPlain = typeof value === "number" || /^-?[0-9.]+(?:ns|us|µs|ms|s|m|h)/.test(value);
  return [`${path}: Invalid value: ${isPlain ? value : JSON.stringify(value)}: ${why}`];
}

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

/** The milliseconds of a duration; NaN for a text that is none. */
export const milliseconds = (text: string): number => Number(parseDuration(text)) / 1e6;

/** The settings of the service proxy in a configuration. */
export function proxySettings(config: ProxyConfiguration): ProxySettings {
  const { nftables, detectLocalMode: mode, detectLocal, clusterCIDR, nodePortAddresses } = config;
  const ranges = clusterCIDR.split(",").filter((one) => one !== "");
  const localTraffic: ProxySettings["localTraffic"] =
    mode === "NodeCIDR"
      ? { by: "node-ranges" }
      : mode === "BridgeInterface"
        ? { by: "interface", name: detectLocal.bridgeInterface }
        : mode === "InterfaceNamePrefix"
          ? { by: "interface", name: `${detectLocal.interfaceNamePrefix}*` }
          : ranges.length > 0
            ? { by: "ranges", ranges }
            : { by: "nothing" };
  return {
    ...{
      masqueradeBit: nftables.masqueradeBit,
      masqueradesAll: nftables.masqueradeAll,
      localTraffic,
    },
    nodePortAddresses: nodePortAddresses[0] === "primary" ? "primary" : nodePortAddresses,
    minSyncMs: milliseconds(nftables.minSyncPeriod),
    syncMs: milliseconds(nftables.syncPeriod),
  };
}

/** A duration of a flag, as configurations have it. */
export const durationText = (ms: number): string => formatDuration(BigInt(Math.round(ms * 1e6)));
