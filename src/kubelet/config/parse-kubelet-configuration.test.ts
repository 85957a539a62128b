import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { defaultEvictionHard } from "./default-kubelet-configuration.ts";
import { testGates } from "./feature-gates.test-support.ts";
import { parseKubeletConfiguration } from "./parse-kubelet-configuration.ts";

const head = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n";
const parse = (text: string, path = "/etc/kubelet/config.yaml") =>
  parseKubeletConfiguration(text, path, testGates);

/** Parses a file that is valid. */
function parsed(text: string) {
  const result = parse(head + text);
  if ("problems" in result) throw new Error(result.problems.join());
  return result;
}

type Given = [text: string, expected: object];

each<Given>([
  // A zero is the same as none where Go has no pointer.
  ["port: 0", { port: 10250 }],
  ["maxPods: 0", { maxPods: 110 }],
  ["syncFrequency: 0s", { syncFrequency: "1m0s" }],
  ["authentication: {webhook: {cacheTTL: 0s}}", { authentication: expectedWebhook("2m0s") }],
  ["imageMinimumGCAge: 0s", { imageMinimumGCAge: "2m0s" }],
  ["containerRuntimeEndpoint: ''", { containerRuntimeEndpoint: "wherry" }],
  ["logging: {flushFrequency: 0s, format: ''}", { logging: expectedLogging("5s") }],
  // It is a value of its own where Go has one.
  ["registryPullQPS: 0", { registryPullQPS: 0 }],
  ["healthzPort: 0", { healthzPort: 0 }],
  ["cpuCFSQuotaPeriod: 0s", { cpuCFSQuotaPeriod: "0s" }],
  ["resolvConf: ''", { resolvConf: "" }],
  ["enableServer: false", { enableServer: false }],
  ["enforceNodeAllocatable: []", { enforceNodeAllocatable: [] }],
  // Defaults that depend on other fields.
  ["nodeStatusUpdateFrequency: 30s", { nodeStatusReportFrequency: "30s" }],
  ["nodeStatusReportFrequency: 1m", { nodeStatusReportFrequency: "1m0s" }],
  ["podPidsLimit: -7", { podPidsLimit: -1 }],
  ["maxParallelImagePulls: 1", { serializeImagePulls: true }],
  ["maxParallelImagePulls: 2", { serializeImagePulls: false }],
  ["maxParallelImagePulls: 2\nserializeImagePulls: true", { serializeImagePulls: true }],
  // Eviction thresholds.
  ["", { evictionHard: defaultEvictionHard }],
  ["evictionHard: {}", { evictionHard: {} }],
  ["evictionHard: {memory.available: 1Gi}", { evictionHard: { "memory.available": "1Gi" } }],
  [
    "mergeDefaultEvictionSettings: true\nevictionHard: {memory.available: 1Gi}",
    { evictionHard: { ...defaultEvictionHard, "memory.available": "1Gi" } },
  ],
  // A duration that may be a number of nanoseconds.
  ["logging: {flushFrequency: 2500000000}", { logging: expectedLogging("2.5s") }],
  // Paths are relative to the file.
  ["staticPodPath: pods", { staticPodPath: "/etc/kubelet/pods" }],
  ["staticPodPath: ../pods/", { staticPodPath: "/etc/pods" }],
  [
    "tlsCertFile: a.crt\ntlsPrivateKeyFile: /a.key",
    { tlsCertFile: "/etc/kubelet/a.crt", tlsPrivateKeyFile: "/a.key" },
  ],
  [
    "resolvConf: r\npodLogsDir: l\nvolumePluginDir: v",
    {
      resolvConf: "/etc/kubelet/r",
      podLogsDir: "/etc/kubelet/l",
      volumePluginDir: "/etc/kubelet/v",
    },
  ],
  [
    "authentication: {x509: {clientCAFile: ca.crt}}",
    { authentication: { x509: { clientCAFile: "/etc/kubelet/ca.crt" } } },
  ],
])("parseKubeletConfiguration: %j has the defaults of v1.36", (text, expected) => {
  const { value, warnings } = parsed(text);
  expect(value).toMatchObject(expected);
  expect(warnings).toEqual([]);
});

function expectedWebhook(cacheTTL: string) {
  return { webhook: { enabled: true, cacheTTL } };
}

function expectedLogging(flushFrequency: string) {
  return { format: "text", flushFrequency };
}

test("parseKubeletConfiguration: reads JSON", () => {
  const text =
    '{"kind":"KubeletConfiguration","apiVersion":"kubelet.config.k8s.io/v1beta1","port":1}';
  expect(parse(text)).toMatchObject({ value: { port: 1 }, warnings: [] });
});

each<[text: string, strict: string]>([
  ["prot: 1", 'unknown field "prot"'],
  ["logging: {fromat: json}", 'unknown field "logging.fromat"'],
  ["port: 1\nport: 2", 'yaml: unmarshal errors:\n  line 4: key "port" already set in map'],
])("parseKubeletConfiguration: %j is a warning", (text, strict) => {
  expect(parsed(text).warnings).toEqual([
    `Using lenient decoding as strict decoding failed: strict decoding error: ${strict}`,
  ]);
});

each<[text: string, problem: string]>([
  ["", 'kubelet config file "/etc/kubelet/config.yaml" was empty'],
  ["kind: A", `failed to decode: Object 'apiVersion' is missing in '{"kind":"A"}'`],
  ["apiVersion: v1", `failed to decode: Object 'Kind' is missing in '{"apiVersion":"v1"}'`],
  [
    "apiVersion: kubelet.config.k8s.io/v1\nkind: KubeletConfiguration",
    'failed to decode: no kind "KubeletConfiguration" is registered for version "kubelet.config.k8s.io/v1" in scheme "k8s.io/kubernetes/pkg/kubelet/apis/config/scheme/scheme.go:33"',
  ],
  [
    `${head}port: many`,
    "failed to decode: json: cannot unmarshal string into Go struct field KubeletConfiguration.port of type int32",
  ],
  [`${head}syncFrequency: soon`, 'failed to decode: time: invalid duration "soon"'],
  [
    `${head}a: b: c`,
    "failed to decode: yaml: line 3: mapping values are not allowed in this context",
  ],
  [
    "[]",
    'failed to decode: couldn\'t get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
  ],
])("parseKubeletConfiguration: rejects %j", (text, problem) => {
  expect(parse(text)).toEqual({ problems: [problem] });
});
