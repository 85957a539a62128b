import { expect, test } from "vitest";
import { openParts, write } from "../../verbs/verb-parts.test-support.ts";
import { admissionChain } from "../admission.ts";
import { attributes, kindAt, type TestAttributes } from "../attributes.test-support.ts";
import { runtimeClass } from "./runtime-class.ts";

const classes = {
  plain: {},
  heavy: { overhead: { podFixed: { cpu: "250m", memory: "120Mi" } } },
  empty: { overhead: {} },
  placed: {
    scheduling: {
      nodeSelector: { kata: "true" },
      tolerations: [{ key: "kata", operator: "Exists" }],
    },
  },
};

/** The pod's spec after admission, or the reason of its rejection. */
async function seen(given: TestAttributes): Promise<unknown> {
  const parts = await openParts();
  const kind = kindAt("node.k8s.io", "runtimeclasses");
  for (const [name, more] of Object.entries(classes))
    await write(parts, kind, name, { handler: "h", ...more });
  const plugin = runtimeClass(parts);
  const request = attributes(given);
  try {
    await admissionChain([plugin]).admit(request);
    await admissionChain([plugin]).validate(request as never);
    return request.object.spec;
  } catch (error) {
    return (error as Error).message;
  }
}

const refused = (why: string) => `pods "a" is forbidden: ${why}`;
const unlike = refused(
  "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
);
const unasked = refused(
  "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
);
const { overhead } = classes.heavy;

test.each([
  ["no class", {}, {}],
  [
    "a class that is not there",
    { runtimeClassName: "x" },
    refused('pod rejected: RuntimeClass "x" not found'),
  ],
  ["a class of no name", { runtimeClassName: "" }, "resource name may not be empty"],
  [
    "a class of a name that no class can have",
    { runtimeClassName: "a/b" },
    `invalid resource name "a/b": [may not contain '/']`,
  ],
  ["a class that says nothing", { runtimeClassName: "plain" }, { runtimeClassName: "plain" }],
  ["overhead without a class", { overhead: { cpu: "1" } }, unasked],
  ["overhead of nothing without a class", { overhead: {} }, unasked],
  [
    "overhead that the class has not",
    { runtimeClassName: "plain", overhead: { cpu: "1" } },
    unasked,
  ],
  [
    "overhead",
    { runtimeClassName: "heavy" },
    { runtimeClassName: "heavy", overhead: overhead.podFixed },
  ],
  [
    "the class's own overhead, written otherwise",
    { runtimeClassName: "heavy", overhead: { memory: "122880Ki", cpu: "0.25" } },
    { runtimeClassName: "heavy", overhead: overhead.podFixed },
  ],
  ["another overhead", { runtimeClassName: "heavy", overhead: { cpu: "250m" } }, unlike],
  ["overhead of nothing", { runtimeClassName: "empty" }, { runtimeClassName: "empty" }],
  ["more than nothing", { runtimeClassName: "empty", overhead: { cpu: "1" } }, unlike],
  [
    "scheduling",
    { runtimeClassName: "placed" },
    {
      runtimeClassName: "placed",
      nodeSelector: { kata: "true" },
      tolerations: [{ key: "kata", operator: "Exists" }],
    },
  ],
  [
    "scheduling beside the pod's own",
    {
      runtimeClassName: "placed",
      nodeSelector: { disk: "ssd", kata: "true" },
      tolerations: [{ key: "a" }, { key: "kata", operator: "Exists", effect: "NoSchedule" }],
    },
    {
      runtimeClassName: "placed",
      nodeSelector: { disk: "ssd", kata: "true" },
      tolerations: [{ key: "a" }, { key: "kata", operator: "Exists" }],
    },
  ],
  [
    "other nodes",
    { runtimeClassName: "placed", nodeSelector: { kata: "false" } },
    refused(
      "conflict: runtimeClass.scheduling.nodeSelector[kata] = true; pod.spec.nodeSelector[kata] = false",
    ),
  ],
] as const)("runtimeClass: %s", async (_, spec, wanted) => {
  expect(await seen({ spec })).toEqual(wanted);
});

test("runtimeClass: an update may keep a class that was deleted", async () => {
  const spec = { runtimeClassName: "x", overhead: { cpu: "1" } };
  expect(await seen({ operation: "UPDATE", spec })).toEqual(spec);
});
