import { expect, test } from "vitest";
import { actions, nodeResource, podResource } from "../../framework/cluster-event.ts";
import {
  aNode,
  aNodeInfo,
  aPod,
  aPodInfo,
  filtered,
  hinted,
  pluginOf,
  scored,
} from "../../framework/framework.test-support.ts";
import { balancedAllocation } from "./balanced-allocation.ts";
import { nodeResourcesFit } from "./fit.ts";
import { brokenLine } from "./scoring-strategy.ts";

type Amounts = Readonly<Record<string, string>>;

const resources = [
  { name: "cpu", weight: 1 },
  { name: "memory", weight: 1 },
];
const fit = pluginOf(nodeResourcesFit, [], {
  args: { scoringStrategy: { type: "LeastAllocated", resources } },
});
const asking = (requests: Amounts) => aPodInfo("p", { requests });
const nodeWith = (allocatable: Amounts, used: Amounts = {}, name = "n") =>
  aNodeInfo(name, { allocatable }, [aPodInfo("other", { requests: used })]);

test.each<[string, Amounts, Amounts, Amounts, string, string]>([
  ["what is free is enough", { cpu: "3" }, { cpu: "4" }, { cpu: "1" }, "", ""],
  [
    "too little is free",
    { cpu: "3" },
    { cpu: "4" },
    { cpu: "2" },
    "Insufficient cpu",
    "Unschedulable",
  ],
  [
    "it would not even be enough if the node were empty",
    { cpu: "5" },
    { cpu: "4" },
    {},
    "Insufficient cpu",
    "UnschedulableAndUnresolvable",
  ],
  [
    "all that is lacking is said",
    { cpu: "3", memory: "3Gi", "ephemeral-storage": "1", "example.com/gpu": "1" },
    { cpu: "3", memory: "3Gi", "ephemeral-storage": "1", "example.com/gpu": "1" },
    { cpu: "1", memory: "1Gi", "ephemeral-storage": "1", "example.com/gpu": "1" },
    "Insufficient cpu, Insufficient memory, Insufficient ephemeral-storage, Insufficient example.com/gpu",
    "Unschedulable",
  ],
  ["there are too many pods", {}, { pods: "1" }, {}, "Too many pods", "Unschedulable"],
  ["who asks for nothing fits on a full node", {}, { cpu: "1" }, { cpu: "1" }, "", ""],
  [
    "a resource that the node does not have",
    { "example.com/gpu": "1" },
    {},
    {},
    "Insufficient example.com/gpu",
    "UnschedulableAndUnresolvable",
  ],
])("NodeResourcesFit: %s", (_, asked, allocatable, used, message, code) => {
  const node = nodeWith(allocatable, used);
  expect(filtered(fit, asking(asked), [node])).toEqual([message]);
  expect(fit.filter?.(undefined as never, asking(asked), node)?.code ?? "").toBe(code);
});

test("NodeResourcesFit: resources can be ignored by name or prefix", () => {
  const ignoring = (args: object) => pluginOf(nodeResourcesFit, [], { args });
  const pod = asking({ "example.com/gpu": "1" });
  const node = [aNodeInfo("n")];
  expect(filtered(ignoring({ ignoredResources: ["example.com/gpu"] }), pod, node)).toEqual([""]);
  expect(filtered(ignoring({ ignoredResourceGroups: ["example.com"] }), pod, node)).toEqual([""]);
  expect(filtered(ignoring({ ignoredResources: ["example.com/tpu"] }), pod, node)).not.toEqual([
    "",
  ]);
});

const half = nodeWith({ cpu: "4", memory: "8Gi" }, { cpu: "1", memory: "3Gi" }, "half");
const empty = aNodeInfo("empty", { allocatable: { cpu: "4", memory: "8Gi" } });
const scoring = (type: string, more: object = {}) =>
  pluginOf(nodeResourcesFit, [], { args: { scoringStrategy: { type, resources, ...more } } });

test("NodeResourcesFit: nodes score by their allocation", () => {
  const pod = asking({ cpu: "1", memory: "1Gi" });
  // (50 + 50) / 2, and (75 + 87) / 2.
  expect(scored(scoring("LeastAllocated"), pod, [half, empty])).toEqual([50, 81]);
  expect(scored(scoring("MostAllocated"), pod, [half, empty])).toEqual([50, 18]);
  const shape = [
    { utilization: 0, score: 10 },
    { utilization: 100, score: 0 },
  ];
  const ratio = scoring("RequestedToCapacityRatio", { requestedToCapacityRatio: { shape } });
  expect(scored(ratio, pod, [half, empty])).toEqual([50, 82]);
});

test("NodeResourcesFit: pods without requests count with small defaults, so that they are spread", () => {
  const pod = asking({});
  const crowded = aNodeInfo(
    "crowded",
    {},
    [1, 2, 3].map((i) => aPodInfo(`q${i}`)),
  );
  const [least = 0, most = 0] = scored(fit, pod, [crowded, aNodeInfo("free")]) as number[];
  expect(least).toBeLessThan(most);
});

test("NodeResourcesFit: a resource that a node lacks or a pod does not request does not count", () => {
  const withGpu = [...resources, { name: "example.com/gpu", weight: 5 }];
  const plugin = pluginOf(nodeResourcesFit, [], {
    args: { scoringStrategy: { type: "LeastAllocated", resources: withGpu } },
  });
  const node = aNodeInfo("gpu", {
    allocatable: { cpu: "4", memory: "8Gi", "example.com/gpu": "4" },
  });
  expect(scored(plugin, asking({ cpu: "1", memory: "1Gi" }), [node])).toEqual([81]);
  // (75 + 87 + 5 × 75) / 7
  expect(
    scored(plugin, asking({ cpu: "1", memory: "1Gi", "example.com/gpu": "1" }), [node]),
  ).toEqual([76]);
});

test.each([
  [0, 0],
  [10, 0],
  [25, 15],
  [40, 30],
  [70, 65],
  [100, 100],
])("brokenLine: at %d the curve is at %d", (x, y) => {
  const curve = brokenLine([
    { utilization: 10, score: 0 },
    { utilization: 40, score: 3 },
    { utilization: 100, score: 10 },
  ]);
  expect(curve(x)).toBe(y);
});

test("NodeResourcesFit: a deleted or scaled-down pod requeues the pod", () => {
  const pod = aPod("p", { requests: { cpu: "1" } });
  const gone = { resource: podResource, action: actions.delete };
  expect(hinted(fit, pod, { ...gone, old: aPod("q", { spec: { nodeName: "n" } }) })).toBe("Queue");
  expect(
    hinted(fit, pod, { ...gone, old: aPod("q", { status: { nominatedNodeName: "n" } }) }),
  ).toBe("Queue");
  expect(hinted(fit, pod, { ...gone, old: aPod("q") })).toBe("QueueSkip");
  const less = { resource: podResource, action: actions.updatePodScaleDown };
  const running = (requests: Amounts) =>
    aPod("q", {
      requests,
      spec: {
        nodeName: "n",
        containers: [{ name: "main", resources: { requests } }],
      },
    });
  expect(
    hinted(fit, pod, { ...less, old: running({ cpu: "2" }), now: running({ cpu: "1" }) }),
  ).toBe("Queue");
  const memory = { old: running({ memory: "2" }), now: running({ memory: "1" }) };
  expect(hinted(fit, pod, { ...less, ...memory })).toBe("QueueSkip");
  expect(hinted(fit, pod, { ...less, old: pod, now: pod })).toBe("Queue");
});

test("NodeResourcesFit: a node requeues the pod if it fits and has grown", () => {
  const pod = aPod("p", { requests: { cpu: "2" } });
  const grown = { resource: nodeResource, action: actions.updateNodeAllocatable };
  const cpu = (amount: string) => aNode("n", { allocatable: { cpu: amount } });
  expect(hinted(fit, pod, { ...grown, now: cpu("2") })).toBe("Queue");
  expect(hinted(fit, pod, { ...grown, now: cpu("1") })).toBe("QueueSkip");
  expect(hinted(fit, pod, { ...grown, old: cpu("1"), now: cpu("2") })).toBe("Queue");
  expect(hinted(fit, pod, { ...grown, old: cpu("2"), now: cpu("2") })).toBe("QueueSkip");
});

test("NodeResourcesBalancedAllocation: nodes that become more balanced score higher", () => {
  const plugin = pluginOf(balancedAllocation, [], { args: { resources } });
  const node = (name: string, used: Amounts) => nodeWith({ cpu: "10", memory: "10Gi" }, used, name);
  const nodes = [
    node("even", { cpu: "5", memory: "5Gi" }),
    node("lacks-cpu-use", { memory: "4Gi" }),
    node("too-much-cpu-use", { cpu: "4" }),
  ];
  // Deviation 0 → 0.2, 0.2 → 0, 0.2 → 0.4.
  expect(scored(plugin, asking({ cpu: "4" }), nodes)).toEqual([65, 85, 65]);
  expect(scored(plugin, asking({}), nodes)).toBe("Skip");
});

test("NodeResourcesBalancedAllocation: more than two resources are compared by their standard deviation", () => {
  const three = [...resources, { name: "example.com/gpu", weight: 1 }];
  const plugin = pluginOf(balancedAllocation, [], { args: { resources: three } });
  const node = aNodeInfo("n", {
    allocatable: { cpu: "10", memory: "10Gi", "example.com/gpu": "10" },
  });
  const pod = asking({ cpu: "1", memory: "1Gi", "example.com/gpu": "4" });
  // Shares 0.1, 0.1 and 0.4: deviation 0.141…, after 0.
  expect(scored(plugin, pod, [node])).toEqual([67]);
});
