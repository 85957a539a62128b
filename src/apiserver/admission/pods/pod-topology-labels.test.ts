import { expect, test } from "vitest";
import { coreKind, openParts, write } from "../../verbs/verb-parts.test-support.ts";
import { admissionChain } from "../admission.ts";
import { attributes, type TestAttributes } from "../attributes.test-support.ts";
import { podTopologyLabels } from "./pod-topology-labels.ts";

const zone = "topology.kubernetes.io/zone";
const region = "topology.kubernetes.io/region";

/** The labels of a pod or binding after the plugin has seen it; node n has a zone and a region. */
async function labelled(given: TestAttributes, more: object = {}): Promise<unknown> {
  const parts = await openParts();
  const labels = { [zone]: "z", [region]: "r", other: "o" };
  await write(parts, coreKind("Node"), "n", { metadata: { labels } });
  await write(parts, coreKind("Node"), "bare");
  const request = attributes(given);
  Object.assign(request.object, more);
  await admissionChain([podTopologyLabels(parts)]).admit(request);
  return request.object.metadata.labels;
}
const target = (name: string, kind = "Node") => ({ target: { kind, name } });
const binding = { subresource: "binding" };
const own = { metadata: { labels: { app: "a", [zone]: "mine" } } };
const both = { [zone]: "z", [region]: "r" };

test.each([
  ["a pod without a node", {}, {}, undefined],
  ["a pod that comes with its node", { spec: { nodeName: "n" } }, {}, both],
  ["a pod that says otherwise", { spec: { nodeName: "n" }, ...own }, {}, { app: "a", ...both }],
  ["a pod on a node that is nowhere", { spec: { nodeName: "bare" } }, {}, undefined],
  ["a pod on a node that is not there", { spec: { nodeName: "x" } }, {}, undefined],
  ["a pod that is there", { operation: "UPDATE", spec: { nodeName: "n" } }, {}, undefined],
  ["a binding", binding, target("n"), both],
  ["a binding to something else", binding, target("n", ""), undefined],
  ["an eviction", { subresource: "eviction", spec: { nodeName: "n" } }, target("n"), undefined],
  ["another kind", { kind: "Service", spec: { nodeName: "n" } }, target("n"), undefined],
] as const)("podTopologyLabels: %s", async (_, given, more, wanted) => {
  expect(await labelled(given, more)).toEqual(wanted);
});
