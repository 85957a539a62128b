import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { toYaml } from "../../../schema/yaml/yaml.ts";
import { defaultProxyConfiguration, parseProxyConfiguration } from "./parse-proxy-configuration.ts";

const head = "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\n";

/** Parses a file that is valid. */
function parsed(text: string) {
  const result = parseProxyConfiguration(head + text);
  if ("problems" in result) throw new Error(result.problems.join());
  return result;
}

each<[text: string, expected: object]>([
  // A zero is the same as none where Go has no pointer.
  ["bindAddress: ''", { bindAddress: "0.0.0.0" }],
  ["configSyncPeriod: 0s", { configSyncPeriod: "15m0s" }],
  ["iptables: {syncPeriod: 0s}", { iptables: { syncPeriod: "30s", minSyncPeriod: "1s" } }],
  ["ipvs: {syncPeriod: 0s}", { ipvs: { syncPeriod: "30s", minSyncPeriod: "0s" } }],
  ["nftables: {minSyncPeriod: 0h}", { nftables: { syncPeriod: "30s", minSyncPeriod: "1s" } }],
  [
    "clientConnection: {contentType: '', qps: 0, burst: 0}",
    {
      clientConnection: {
        ...{ contentType: "application/vnd.kubernetes.protobuf", qps: 5, burst: 10 },
      },
    },
  ],
  ["logging: {flushFrequency: 0}", { logging: { flushFrequency: "5s", format: "text" } }],
  // It is a value of its own where Go has one.
  ["oomScoreAdj: 0", { oomScoreAdj: 0 }],
  ["oomScoreAdj: null", { oomScoreAdj: -999 }],
  ["nftables: {masqueradeBit: 0}", { nftables: { masqueradeBit: 0 } }],
  ["iptables: {localhostNodePorts: false}", { iptables: { localhostNodePorts: false } }],
  [
    "conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}",
    {
      conntrack: {
        ...{ maxPerCore: 0, min: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
        ...{ tcpBeLiberal: false, udpTimeout: "0s", udpStreamTimeout: "0s" },
      },
    },
  ],
  // Addresses to serve on get ports, and follow the family of the node's address.
  ["", { healthzBindAddress: "0.0.0.0:10256", metricsBindAddress: "127.0.0.1:10249" }],
  [
    "bindAddress: '::'",
    { healthzBindAddress: "[::]:10256", metricsBindAddress: "[::1]:10249", bindAddress: "::" },
  ],
  [
    "bindAddress: '::ffff:10.0.0.1'",
    { healthzBindAddress: "0.0.0.0:10256", metricsBindAddress: "127.0.0.1:10249" },
  ],
  [
    "healthzBindAddress: 10.0.0.1\nmetricsBindAddress: 'fd00::1'",
    { healthzBindAddress: "10.0.0.1:10256", metricsBindAddress: "[fd00::1]:10249" },
  ],
  [
    "healthzBindAddress: 10.0.0.1:1\nmetricsBindAddress: '[fd00::1]:2'",
    { healthzBindAddress: "10.0.0.1:1", metricsBindAddress: "[fd00::1]:2" },
  ],
  ["metricsBindAddress: node-1", { metricsBindAddress: "node-1" }],
])("parseProxyConfiguration: %j has the defaults of v1.36", (text, expected) => {
  const { value, warnings } = parsed(text);
  expect(value).toMatchObject(expected);
  expect(warnings).toEqual([]);
});

test("parseProxyConfiguration: what kubeadm writes, with zeros for all that is not chosen, means the defaults", () => {
  const { value, warnings } = parsed(`bindAddress: 0.0.0.0
bindAddressHardFail: false
clientConnection:
  acceptContentTypes: ""
  burst: 0
  contentType: ""
  kubeconfig: /var/lib/kube-proxy/kubeconfig.conf
  qps: 0
clusterCIDR: 10.244.0.0/16
configSyncPeriod: 0s
conntrack:
  maxPerCore: null
  min: null
  tcpBeLiberal: false
  tcpCloseWaitTimeout: null
  tcpEstablishedTimeout: null
  udpStreamTimeout: 0s
  udpTimeout: 0s
detectLocal:
  bridgeInterface: ""
  interfaceNamePrefix: ""
detectLocalMode: ""
enableProfiling: false
healthzBindAddress: ""
hostnameOverride: ""
iptables:
  localhostNodePorts: null
  masqueradeAll: false
  masqueradeBit: null
  minSyncPeriod: 0s
  syncPeriod: 0s
ipvs:
  excludeCIDRs: null
  minSyncPeriod: 0s
  scheduler: ""
  strictARP: false
  syncPeriod: 0s
  tcpFinTimeout: 0s
  tcpTimeout: 0s
  udpTimeout: 0s
logging:
  flushFrequency: 0
  options:
    json:
      infoBufferSize: "0"
    text:
      infoBufferSize: "0"
  verbosity: 0
metricsBindAddress: ""
mode: ""
nftables:
  masqueradeAll: false
  masqueradeBit: null
  minSyncPeriod: 0s
  syncPeriod: 0s
nodePortAddresses: null
oomScoreAdj: null
portRange: ""
showHiddenMetricsForVersion: ""
winkernel:
  enableDSR: false
  forwardHealthCheckVip: false
  networkName: ""
  rootHnsEndpointName: ""
  sourceVip: ""
`);
  expect(warnings).toEqual([]);
  const usual = defaultProxyConfiguration();
  const kubeconfig = "/var/lib/kube-proxy/kubeconfig.conf";
  expect(value).toEqual({
    ...usual,
    clusterCIDR: "10.244.0.0/16",
    clientConnection: { ...usual.clientConnection, kubeconfig },
  });
  // What is written of a configuration is read as the same.
  expect(parseProxyConfiguration(toYaml(value))).toEqual({ value, warnings: [] });
});

each<[text: string, strict: string]>([
  ["nftables: {colour: red}", 'unknown field "nftables.colour"'],
  ["mode: ''\nmode: nftables", 'yaml: unmarshal errors:\n  line 4: key "mode" already set in map'],
])("parseProxyConfiguration: %j is a warning", (text, strict) => {
  expect(parsed(text).warnings).toEqual([
    `Using lenient decoding as strict decoding failed: strict decoding error: ${strict}`,
  ]);
});

each<[text: string, problem: string]>([
  ["kind: A", `failed to decode: Object 'apiVersion' is missing in '{"kind":"A"}'`],
  [
    "apiVersion: kubeproxy.config.k8s.io/v1\nkind: KubeProxyConfiguration",
    'failed to decode: no kind "KubeProxyConfiguration" is registered for version "kubeproxy.config.k8s.io/v1" in scheme "k8s.io/kubernetes/pkg/proxy/apis/config/scheme/scheme.go:29"',
  ],
  [
    `${head}oomScoreAdj: low`,
    "failed to decode: json: cannot unmarshal string into Go struct field KubeProxyConfiguration.oomScoreAdj of type int32",
  ],
  [`${head}configSyncPeriod: soon`, 'failed to decode: time: invalid duration "soon"'],
])("parseProxyConfiguration: %j cannot be used", (text, problem) => {
  expect(parseProxyConfiguration(text)).toEqual({ problems: [problem] });
});
