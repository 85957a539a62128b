import {
  boolFlag,
  durationFlag,
  floatFlag,
  intFlag,
  stringFlag,
  stringsFlag,
  type Values,
} from "../../../cli/flag.ts";
import { formatDuration } from "../../../schema/values/duration.ts";
import { globalFlags } from "../../flags/global-flags.ts";
import { metricsFlags } from "../../flags/metrics-flags.ts";
import { logsFlags } from "../../flags/observing-flags.ts";
import { later, section, withoutEffect } from "../../flags/server-flag.ts";
import { versionFlags } from "../../flags/version-flags.ts";
import { defaultProxyConfiguration } from "./parse-proxy-configuration.ts";
import {
  healthzPort,
  metricsPort,
  type ProxyConfiguration,
  withPort,
} from "./proxy-configuration.ts";

const usual = defaultProxyConfiguration();

const noIptables = "services are programmed by nftables";
const noIpvs = "IPVS is not used";
const noLimit = "requests to the API server are not limited";
const sync = (usage: string) => withoutEffect(noIptables, durationFlag({ usage, default: 30_000 }));

/** The flags of kube-proxy. */
export const proxyFlags = {
  ...section("Misc flags", {
    config: stringFlag({
      usage: "the `FILE` with a KubeProxyConfiguration; flags beside it are ignored",
    }),
    "write-config-to": stringFlag({
      usage: "write the configuration of the flags or --config to this `FILE`, and exit",
    }),
    cleanup: boolFlag({ usage: "remove all that the proxy has programmed, and exit" }),
    "init-only": later(
      "initialization as another user",
      boolFlag({ usage: "only initialize the system" }),
    ),
    kubeconfig: stringFlag({
      usage: "the kubeconfig `FILE` with the API server and the credentials",
    }),
    master: stringFlag({ usage: "the `URL` of the API server, which overrides the kubeconfig" }),
    "kube-api-content-type": withoutEffect(
      "requests to the API server are encoded as JSON",
      stringFlag({
        usage: "the content type of requests",
        default: usual.clientConnection.contentType,
      }),
    ),
    "kube-api-burst": withoutEffect(
      noLimit,
      intFlag({ usage: "the maximum burst of requests", default: 10 }),
    ),
    "kube-api-qps": withoutEffect(
      noLimit,
      floatFlag({ usage: "the average number of requests per second", default: 5 }),
    ),
    "hostname-override": stringFlag({ usage: "the name of the node, instead of the host's" }),
    "bind-address": stringFlag({
      usage: "the primary address of the node",
      default: usual.bindAddress,
    }),
    "healthz-bind-address": stringFlag({
      usage: "the address and port of /healthz and /livez; none if empty",
      default: usual.healthzBindAddress,
    }),
    "metrics-bind-address": stringFlag({
      usage: "the address and port of /metrics",
      default: usual.metricsBindAddress,
    }),
    "healthz-port": intFlag({
      usage: "the port of --healthz-bind-address if that has none; 0 ends serving (deprecated)",
      default: healthzPort,
    }),
    "metrics-port": intFlag({
      usage: "the port of --metrics-bind-address if that has none; 0 ends serving (deprecated)",
      default: metricsPort,
    }),
    "bind-address-hard-fail": boolFlag({ usage: "whether a port in use ends the proxy" }),
    profiling: later("profiling", boolFlag({ usage: "whether to serve /debug/pprof" })),
    "show-hidden-metrics-for-version": metricsFlags["show-hidden-metrics-for-version"],
    "proxy-mode": stringFlag({ usage: "nftables, or empty, which means the same" }),
    "masquerade-all": boolFlag({ usage: "whether all traffic to cluster IPs is masqueraded" }),
    "detect-local-mode": stringFlag({
      usage:
        "how traffic of pods is known: ClusterCIDR, NodeCIDR, BridgeInterface or InterfaceNamePrefix",
    }),
    "pod-bridge-interface": stringFlag({ usage: "the bridge of pods, for BridgeInterface" }),
    "pod-interface-name-prefix": stringFlag({
      usage: "how names of pods' interfaces start, for InterfaceNamePrefix",
    }),
    "cluster-cidr": stringFlag({ usage: "the ranges of pods' addresses, for ClusterCIDR" }),
    "nodeport-addresses": stringsFlag({
      usage: "ranges of the addresses that have node ports, or primary; all if empty",
    }),
    "oom-score-adj": intFlag({
      usage: "the oom_score_adj of the process",
      default: usual.oomScoreAdj,
    }),
    "config-sync-period": withoutEffect(
      "the API is watched",
      durationFlag({ usage: "how often objects are read again", default: 900_000 }),
    ),
  }),
  ...section("Userspace flags", {
    userspace: boolFlag({
      usage: "forward ports of 127.0.0.1 to services, instead of programming the kernel",
    }),
    service: stringsFlag({
      usage: "with --userspace: the services to forward, as `NAMESPACE/NAME`; all if empty",
    }),
    direct: boolFlag({
      usage:
        "with --userspace: connect to the addresses of pods, instead of through the API server",
    }),
  }),
  ...section("Conntrack flags", {
    "conntrack-max-per-core": intFlag({
      usage: "the most tracked connections for each CPU; 0 leaves the limit as it is",
      default: usual.conntrack.maxPerCore,
    }),
    "conntrack-min": intFlag({
      usage: "the least limit of tracked connections",
      default: usual.conntrack.min,
    }),
    "conntrack-tcp-timeout-established": durationFlag({
      usage: "when idle TCP connections are forgotten; 0 leaves it as it is",
      default: 86_400_000,
    }),
    "conntrack-tcp-timeout-close-wait": durationFlag({
      usage: "when TCP connections in CLOSE_WAIT are forgotten",
      default: 3_600_000,
    }),
    "conntrack-tcp-be-liberal": boolFlag({ usage: "whether packets out of window are accepted" }),
    "conntrack-udp-timeout": durationFlag({ usage: "when unanswered UDP flows are forgotten" }),
    "conntrack-udp-timeout-stream": durationFlag({
      usage: "when answered UDP flows are forgotten",
    }),
  }),
  ...section("Flags of other modes", {
    "iptables-masquerade-bit": withoutEffect(
      noIptables,
      intFlag({ usage: "the bit of marks", default: 14 }),
    ),
    "iptables-localhost-nodeports": withoutEffect(
      "localhost has no node ports",
      boolFlag({ usage: "whether localhost has node ports", default: true }),
    ),
    "iptables-sync-period": sync("how often iptables are written again"),
    "iptables-min-sync-period": withoutEffect(
      noIptables,
      durationFlag({ usage: "the least time between changes", default: 1000 }),
    ),
    "ipvs-sync-period": sync("how often IPVS is written again"),
    "ipvs-min-sync-period": withoutEffect(
      noIpvs,
      durationFlag({ usage: "the least time between changes" }),
    ),
    "ipvs-scheduler": withoutEffect(noIpvs, stringFlag({ usage: "the scheduler of IPVS" })),
    "ipvs-exclude-cidrs": withoutEffect(noIpvs, stringsFlag({ usage: "ranges that IPVS leaves" })),
    "ipvs-strict-arp": withoutEffect(noIpvs, boolFlag({ usage: "whether ARP is strict" })),
    "ipvs-tcp-timeout": withoutEffect(noIpvs, durationFlag({ usage: "the timeout of TCP" })),
    "ipvs-tcpfin-timeout": withoutEffect(noIpvs, durationFlag({ usage: "the timeout after FIN" })),
    "ipvs-udp-timeout": withoutEffect(noIpvs, durationFlag({ usage: "the timeout of UDP" })),
  }),
  ...section("Feature gate flags", { "feature-gates": versionFlags["feature-gates"] }),
  ...logsFlags,
  ...globalFlags,
} as const;

export type ProxyFlags = Values<typeof proxyFlags>;

/** The configuration that flags describe. */
export function configurationOf(flags: ProxyFlags): ProxyConfiguration {
  const mode = flags["proxy-mode"];
  const all = { masqueradeAll: flags["masquerade-all"] };
  return {
    ...usual,
    clientConnection: {
      ...usual.clientConnection,
      kubeconfig: flags.kubeconfig,
      contentType: flags["kube-api-content-type"],
      ...{ qps: flags["kube-api-qps"], burst: flags["kube-api-burst"] },
    },
    bindAddress: flags["bind-address"],
    healthzBindAddress: served(flags["healthz-bind-address"], flags["healthz-port"]),
    metricsBindAddress: served(flags["metrics-bind-address"], flags["metrics-port"]),
    bindAddressHardFail: flags["bind-address-hard-fail"],
    showHiddenMetricsForVersion: flags["show-hidden-metrics-for-version"],
    mode,
    ...(mode === "nftables"
      ? { nftables: { ...usual.nftables, ...all } }
      : { iptables: { ...usual.iptables, ...all } }),
    detectLocalMode: flags["detect-local-mode"],
    detectLocal: {
      bridgeInterface: flags["pod-bridge-interface"],
      interfaceNamePrefix: flags["pod-interface-name-prefix"],
    },
    clusterCIDR: flags["cluster-cidr"],
    ...(flags["nodeport-addresses"].length > 0 && {
      nodePortAddresses: flags["nodeport-addresses"],
    }),
    oomScoreAdj: flags["oom-score-adj"],
    conntrack: {
      maxPerCore: flags["conntrack-max-per-core"],
      min: flags["conntrack-min"],
      tcpEstablishedTimeout: durationText(flags["conntrack-tcp-timeout-established"]),
      tcpCloseWaitTimeout: durationText(flags["conntrack-tcp-timeout-close-wait"]),
      tcpBeLiberal: flags["conntrack-tcp-be-liberal"],
      udpTimeout: durationText(flags["conntrack-udp-timeout"]),
      udpStreamTimeout: durationText(flags["conntrack-udp-timeout-stream"]),
    },
  };
}

/** The flags of ports are older than those of addresses: zero ends serving. */
const served = (address: string, port: number): string =>
  port === 0 ? "" : withPort(address, port);

const durationText = (ms: number): string => formatDuration(BigInt(Math.round(ms * 1e6)));
