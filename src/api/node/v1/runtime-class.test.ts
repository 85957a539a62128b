import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { created, read, updated, warningsOf } from "../../kind.test-support.ts";
import { RuntimeClass } from "./runtime-class.ts";

const overhead = (podFixed: object) => ({ handler: "h", overhead: { podFixed } });
const tolerations = (...list: readonly object[]) => ({
  handler: "h",
  scheduling: { tolerations: list },
});

each<[rule: string, body: object, errors: readonly string[]]>([
  ["a handler is enough", { handler: "h" }, []],
  [
    "what a pod takes are resources of containers",
    overhead({ pods: "1" }),
    ['overhead.limits[pods]: Invalid value: "pods": must be a standard resource for containers'],
  ],
  [
    "things of others are counted in whole numbers",
    overhead({ "example.com/gpu": "1500m" }),
    ['overhead.limits[example.com/gpu]: Invalid value: "1500m": must be an integer'],
  ],
  [
    "huge pages come in pages, and with memory",
    overhead({ "hugepages-2Mi": "3Mi" }),
    [
      'overhead.limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of hugepages-2Mi',
      "overhead: Forbidden: HugePages require cpu or memory",
    ],
  ],
  [
    "a toleration comes once, however long it lasts",
    tolerations(
      { key: "a", operator: "Exists", effect: "NoExecute" },
      { key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 },
    ),
    [
      'scheduling.tolerations[1]: Duplicate value: {"Key":"a","Operator":"Exists","Value":"","Effect":"NoExecute","TolerationSeconds":5}',
    ],
  ],
  [
    "tolerations of numbers are not known",
    tolerations({ key: "a", operator: "Lt", value: "5" }),
    [
      'scheduling.tolerations[0].operator: Unsupported value: "Lt": supported values: "Equal", "Exists", "Lt", "Gt"',
    ],
  ],
  [
    "a handler is a label",
    { handler: "a.b" },
    ['handler: Invalid value: "a.b": must not contain dots'],
  ],
  ["finalizers need no domain", { metadata: { finalizers: ["x"] }, handler: "h" }, []],
])("RuntimeClass: %s", (_, body, errors) => {
  expect(created(RuntimeClass, body)).toEqual(errors);
});

test("RuntimeClass: its handler never changes, all else may", () => {
  expect([
    updated(RuntimeClass, { handler: "h" }, overhead({ cpu: "1" })),
    updated(RuntimeClass, { handler: "h" }, { handler: "i" }),
  ]).toEqual([[], ['handler: Invalid value: "i": field is immutable']]);
});

test("RuntimeClass: what a pod takes is rounded up to thousandths", () => {
  expect(read(RuntimeClass, overhead({ cpu: "1500u" })).overhead).toEqual({
    podFixed: { cpu: "2m" },
  });
});

test("RuntimeClass: labels of nodes that are out of use are warned of", () => {
  const nodeSelector = { "beta.kubernetes.io/os": "linux", "kubernetes.io/arch": "arm64" };
  expect(warningsOf(RuntimeClass, { handler: "h", scheduling: { nodeSelector } })).toEqual([
    'scheduling.nodeSelector: deprecated since v1.14; use "kubernetes.io/os" instead',
  ]);
});
