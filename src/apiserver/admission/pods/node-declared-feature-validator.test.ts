import { expect, test } from "vitest";
import { coreKind, openParts, write } from "../../verbs/verb-parts.test-support.ts";
import { rejectionBy, type TestAttributes } from "../attributes.test-support.ts";
import { nodeDeclaredFeatureValidator } from "./node-declared-feature-validator.ts";

const podLevel = "InPlacePodLevelResourcesVerticalScaling";
const initContainers = "InPlacePodVerticalScalingInitContainers";

async function outcomeOf(spec: object, old: object, more: TestAttributes = {}) {
  const parts = await openParts();
  const nodes = { all: [podLevel, initContainers], some: [podLevel], none: undefined };
  for (const [name, declaredFeatures] of Object.entries(nodes))
    await write(parts, coreKind("Node"), name, { status: { declaredFeatures } });
  return rejectionBy(nodeDeclaredFeatureValidator(parts), {
    operation: "UPDATE",
    subresource: "resize",
    metadata: { generation: 2 },
    old: { metadata: { generation: 1 }, spec: old },
    spec,
    ...more,
  });
}

const cpu = (amount: string, more: object = {}) => ({
  name: "c",
  resources: { requests: { cpu: amount } },
  ...more,
});
const lacking = (features: string, node: string) =>
  `pods "a" is forbidden: pod update requires features ${features} which are not available on node "${node}"`;
const whole = (amount: string) => ({ resources: { requests: { cpu: amount } } });

test.each([
  ["a container", "none", { containers: [cpu("2")] }, { containers: [cpu("1")] }, undefined],
  ["the whole pod", "none", whole("2"), whole("1"), lacking(podLevel, "none")],
  ["the whole pod, for the first time", "none", whole("2"), {}, lacking(podLevel, "none")],
  ["the whole pod, where it can be", "some", whole("2"), whole("1"), undefined],
  [
    "an init container",
    "some",
    { initContainers: [cpu("2")] },
    { initContainers: [cpu("1")] },
    lacking(initContainers, "some"),
  ],
  [
    "a sidecar",
    "none",
    { initContainers: [cpu("2", { restartPolicy: "Always" })] },
    { initContainers: [cpu("1", { restartPolicy: "Always" })] },
    undefined,
  ],
  [
    "everything",
    "none",
    { ...whole("2"), initContainers: [cpu("2")] },
    { ...whole("1"), initContainers: [cpu("1")] },
    lacking(`${podLevel}, ${initContainers}`, "none"),
  ],
  ["the whole pod on no node", "x", whole("2"), {}, 'pods "a" is forbidden: node "x" not found'],
  ["the whole pod before it has a node", "", whole("2"), {}, undefined],
])("nodeDeclaredFeatureValidator: %s", async (_, nodeName, spec, old, wanted) => {
  expect(await outcomeOf({ nodeName, ...spec }, { nodeName, ...old })).toEqual(wanted);
});

test.each([
  ["what does not change", { old: { metadata: { generation: 2 }, spec: {} } }],
  ["the status", { subresource: "status" }],
])("nodeDeclaredFeatureValidator: %s is not rejectionBy", async (_, more) => {
  expect(await outcomeOf({ nodeName: "none", ...whole("2") }, {}, more)).toEqual(undefined);
});
