import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { testGates } from "./feature-gates.test-support.ts";
import { mergeDropIns } from "./merge-drop-ins.ts";
import { parseKubeletConfiguration } from "./parse-kubelet-configuration.ts";

const head = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n";

function base(text: string) {
  const result = parseKubeletConfiguration(head + text, "/c", testGates);
  if ("problems" in result) throw new Error(result.problems.join());
  return result.value;
}

const merge = (text: string, ...dropIns: readonly string[]) =>
  mergeDropIns(
    base(text),
    { folder: "/d", files: dropIns.map((one, i) => ({ path: `/d/${i}.conf`, text: one })) },
    testGates,
  );

each<[file: string, dropIns: string[], expected: object]>([
  ["port: 1", ["port: 2", "port: 3"], { port: 3 }],
  ["port: 1", ["maxPods: 2"], { port: 1, maxPods: 2 }],
  ["port: 1", ["port: null"], { port: 10250 }],
  ["port: 1", ["port: 0"], { port: 10250 }],
  ["clusterDNS: [10.0.0.1, 10.0.0.2]", ["clusterDNS: [10.0.0.3]"], { clusterDNS: ["10.0.0.3"] }],
  [
    "evictionHard: {memory.available: 1Gi}",
    ["evictionHard: {nodefs.available: 5%}"],
    { evictionHard: { "memory.available": "1Gi", "nodefs.available": "5%" } },
  ],
  [
    "authentication: {webhook: {enabled: false, cacheTTL: 1m}}",
    ["authentication: {webhook: {enabled: true}}"],
    { authentication: { webhook: { enabled: true, cacheTTL: "1m0s" } } },
  ],
  [
    "featureGates: {A: true}",
    ["featureGates: {B: false}"],
    { featureGates: { A: true, B: false } },
  ],
  // The file has its defaults by now.
  ["", ["nodeStatusUpdateFrequency: 30s"], { nodeStatusReportFrequency: "5m0s" }],
  ["enforceNodeAllocatable: []", ["port: 1"], { enforceNodeAllocatable: ["pods"] }],
  ["staticPodPath: a", ["tlsCertFile: b"], { staticPodPath: "/a", tlsCertFile: "b" }],
  ["", ["logging: {flushFrequency: 1000000000}"], { logging: { flushFrequency: "1s" } }],
])("mergeDropIns: %j and %j", (file, dropIns, expected) => {
  const merged = merge(file, ...dropIns.map((one) => head + one));
  expect(merged).toMatchObject({ value: expected, warnings: [] });
});

test("mergeDropIns: warns of unknown fields", () => {
  expect(merge("", `${head}prot: 1`)).toMatchObject({
    value: { port: 10250 },
    warnings: ['the drop-in files have an unknown field "prot"'],
  });
});

const walking =
  'failed to merge kubelet configs: failed to walk through kubelet dropin directory "/d": failed to load kubelet dropin file, path: /d/0.conf, ';

each<[dropIn: string, problem: string]>([
  ["", `${walking}error: kubelet config file "/d/0.conf" was empty`],
  ["port: 1", `${walking}error: Object 'Kind' is missing in '{"port":1}'`],
  [
    "apiVersion: kubelet.config.k8s.io/v1\nkind: KubeletConfiguration",
    `${walking}unknown apiVersion/kind: kubelet.config.k8s.io/v1, Kind=KubeletConfiguration`,
  ],
  ["apiVersion: v1\nkind: Pod", `${walking}unknown apiVersion/kind: /v1, Kind=Pod`],
  [
    `${head}port: 1\nport: 2`,
    `${walking}error: strict decoding error: yaml: unmarshal errors:\n  line 4: key "port" already set in map`,
  ],
  [
    `${head}port: x`,
    "failed to merge kubelet configs: failed to unmarshal merged JSON into kubelet configuration: json: cannot unmarshal string into Go struct field KubeletConfiguration.port of type int32",
  ],
])("mergeDropIns: rejects %j", (dropIn, problem) => {
  expect(merge("", dropIn)).toEqual({ problems: [problem] });
});
