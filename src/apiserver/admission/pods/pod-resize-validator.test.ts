import { expect, test } from "vitest";
import type { StatusError } from "../../../api/meta/v1/status-error.ts";
import { coreKind, openParts, write } from "../../verbs/verb-parts.test-support.ts";
import { admissionChain } from "../admission.ts";
import { attributes, type TestAttributes } from "../attributes.test-support.ts";
import { podResizeValidator } from "./pod-resize-validator.ts";

async function outcomeOf(spec: object, more: TestAttributes = {}) {
  const parts = await openParts();
  const node = (name: string, labels: object, allocatable: object) =>
    write(parts, coreKind("Node"), name, { metadata: { labels }, status: { allocatable } });
  await node("n", { "kubernetes.io/os": "linux" }, { cpu: "1500m", memory: "1Gi" });
  await node("w", { "kubernetes.io/os": "windows" }, { cpu: "2", memory: "1Gi" });
  await node("bare", {}, {});
  const request = attributes({
    operation: "UPDATE",
    subresource: "resize",
    metadata: { generation: 2 },
    old: { metadata: { generation: 1 } },
    spec,
    ...more,
  });
  const chain = admissionChain([podResizeValidator(parts)]);
  return chain.validate(request as never).then(
    () => undefined,
    ({ message, details }: StatusError) => [message, details?.causes],
  );
}

const refused = (why: string, ...reasons: string[]) => [
  `pods "a" is forbidden: ${why}`,
  reasons.length > 0 ? reasons.map((reason) => ({ reason })) : undefined,
];
const asking = (requests: object) => ({ containers: [{ resources: { requests } }] });
const lacking = (what: string) =>
  refused(`node didn't have enough allocatable resources: ${what}`, "NodeCapacity");

test.each([
  ["what the node has", { nodeName: "n", ...asking({ cpu: "1500m", memory: "1Gi" }) }, undefined],
  [
    "more than the node has",
    { nodeName: "n", ...asking({ cpu: "1600m", memory: "2Gi" }) },
    lacking(
      "cpu, requested: 1600, allocatable: 1500; memory, requested: 2147483648, allocatable: 1073741824",
    ),
  ],
  [
    "more than the node has, with the overhead",
    { nodeName: "n", overhead: { cpu: "1" }, ...asking({ cpu: "1" }) },
    lacking("cpu, requested: 2000, allocatable: 1500"),
  ],
  [
    "more than the node has, as a whole",
    { nodeName: "n", resources: { requests: { cpu: "2" } }, ...asking({ cpu: "1" }) },
    lacking("cpu, requested: 2000, allocatable: 1500"),
  ],
  [
    "anything of a node that has nothing",
    { nodeName: "bare", ...asking({ memory: "1" }) },
    lacking("memory, requested: 1, allocatable: 0"),
  ],
  [
    "anything of another system",
    { nodeName: "w", ...asking({}) },
    refused(
      'pod resize is only supported on linux nodes, node "w" is "windows"',
      "UnsupportedPlatform",
    ),
  ],
  ["anything of no node", { nodeName: "x", ...asking({}) }, refused('node "x" not found')],
  ["anything before it has a node", asking({ cpu: "9" }), undefined],
])("podResizeValidator: %s", async (_, spec, wanted) => {
  expect(await outcomeOf(spec)).toEqual(wanted);
});

test.each([
  ["what does not change", { old: { metadata: { generation: 2 } } }],
  ["other parts", { subresource: "" }],
])("podResizeValidator: %s is not rejectionBy", async (_, more) => {
  expect(await outcomeOf({ nodeName: "n", ...asking({ cpu: "9" }) }, more)).toEqual(undefined);
});
