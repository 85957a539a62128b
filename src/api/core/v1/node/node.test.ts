import { expect, test } from "vitest";
import { applyDefaults } from "../../../../schema/language/defaults.ts";
import { normalise } from "../../../../schema/language/normalise.ts";
import { At } from "../../../../schema/language/report.ts";
import { expectRecorded, recordedCases } from "../../../recorded.test-support.ts";
import { Node } from "./node.ts";

// Admission adds a taint to new nodes.
for (const recorded of recordedCases("nodes"))
  test(`Node: ${recorded.name}`, () => {
    expect.hasAssertions();
    expectRecorded(Node as never, recorded, { without: ["spec.taints"] });
  });

const node = (more: object): Node => {
  const object = normalise(Node.struct, { metadata: { name: "n", resourceVersion: "1" }, ...more });
  applyDefaults(Node.struct, object?.value);
  return object?.value as Node;
};
const errors = (check: (at: At) => void): readonly string[] => {
  const at = At.root();
  check(at);
  return at.errors.map(({ field, message }) => `${field}: ${message}`);
};

const podNetworks: readonly [spec: object, podCIDR: unknown, podCIDRs: unknown][] = [
  [{}, undefined, undefined],
  [{ podCIDR: "10.1.0.0/24" }, "10.1.0.0/24", ["10.1.0.0/24"]],
  [{ podCIDRs: ["10.1.0.0/24", "fd00::/64"] }, "10.1.0.0/24", ["10.1.0.0/24", "fd00::/64"]],
  [
    { podCIDR: "10.2.0.0/24", podCIDRs: ["10.1.0.0/24", "fd00::/64"] },
    "10.2.0.0/24",
    ["10.2.0.0/24"],
  ],
];

test("Node: podCIDR is the first of podCIDRs, and wins", () => {
  const found = podNetworks.map(([spec]) => node({ spec }).spec);
  expect(found.map(({ podCIDR, podCIDRs }) => [podCIDR, podCIDRs])).toEqual(
    podNetworks.map(([, podCIDR, podCIDRs]) => [podCIDR, podCIDRs]),
  );
});

test("Node: what is allocatable is the capacity, unless it is given", () => {
  const capacity = { cpu: "1u", pods: "110" };
  for (const given of [{ capacity }, { capacity, allocatable: {} }]) {
    const { status } = node({ status: given });
    expect([status.capacity, status.allocatable]).toEqual(
      Array(2).fill({ cpu: "1m", pods: "110" }),
    );
  }
});

const created: readonly [name: string, object: object, errors: readonly string[]][] = [
  [
    "taints are unique by key and effect",
    {
      spec: {
        taints: [
          { key: "a", effect: "NoSchedule" },
          { key: "a", value: "b", effect: "NoSchedule" },
          { key: "a", effect: "NoExecute" },
        ],
      },
    },
    [
      'metadata.taints[1]: Duplicate value: {"Key":"a","Value":"b","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair',
    ],
  ],
  [
    "features are declared in order and once",
    { status: { declaredFeatures: ["B", "A", "A", "x"] } },
    [
      'status.declaredFeatures[1]: Invalid value: "A": list must be sorted alphabetically',
      'status.declaredFeatures[2]: Duplicate value: "A"',
      'status.declaredFeatures[3]: Invalid value: "x": invalid feature name "x": must start with an UpperCamelCase segment, with subsequent segments separated by \'/\' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes',
    ],
  ],
  [
    "swap is not nothing",
    { status: { nodeInfo: { swap: { capacity: 0 } } } },
    ["metadata.nodeSwapStatus.capacity: Invalid value: 0: must be greater than zero"],
  ],
  [
    "taints in an annotation are read",
    {
      metadata: {
        name: "n",
        annotations: { "scheduler.alpha.kubernetes.io/taints": '[{"key":"a","effect":"X"}]' },
      },
    },
    [
      'metadata.annotations.scheduler.alpha.kubernetes.io/taints[0].effect: Unsupported value: "X": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ],
  ],
  [
    "an annotation that is no JSON is named by its key",
    { metadata: { name: "n", annotations: { "scheduler.alpha.kubernetes.io/taints": "x" } } },
    [
      "metadata.annotations: Invalid value: \"scheduler.alpha.kubernetes.io/taints\": invalid character 'x' looking for beginning of value",
    ],
  ],
  [
    "pods to avoid have a controller",
    {
      metadata: {
        name: "n",
        annotations: {
          "scheduler.alpha.kubernetes.io/preferAvoidPods":
            '{"preferAvoidPods":[{},{"podSignature":{"podController":{"controller":false}}}]}',
        },
      },
    },
    [
      "metadata.annotations.scheduler.alpha.kubernetes.io/preferAvoidPods[0].PodSignature: Required value",
      "metadata.annotations.scheduler.alpha.kubernetes.io/preferAvoidPods[1].PodSignature.PodController.Controller: Invalid value: false: must point to a controller",
    ],
  ],
  [
    "three networks are too many",
    { spec: { podCIDRs: ["10.1.0.0/24", "fd00::/64", "10.2.0.0/24"] } },
    [
      'spec.podCIDRs: Invalid value: ["10.1.0.0/24","fd00::/64","10.2.0.0/24"]: may specify no more than one CIDR for each IP family',
    ],
  ],
];

for (const [name, object, expected] of created)
  test(`Node: ${name}`, () => {
    expect(errors((at) => Node.validateCreate(node(object), at))).toEqual(expected);
  });

test("Node: an update of the status may not double an address", () => {
  const addresses = [
    { type: "InternalIP", address: "10.0.0.1" },
    { type: "InternalIP", address: "10.0.0.1" },
  ];
  const object = node({ status: { addresses } });
  expect(errors((at) => Node.validateStatusUpdate(object, node({}), at))).toEqual([
    'status.addresses[1]: Duplicate value: {"Type":"InternalIP","Address":"10.0.0.1"}',
  ]);
});

test("Node: warnings tell of fields that have no use", () => {
  const object = node({ spec: { externalID: "x", podCIDR: "10.1.0.1/24" } });
  expect(Node.strategy.warnings?.(object as never, undefined)).toEqual([
    "spec.externalID: this field is deprecated, and is unused by Kubernetes",
    'spec.podCIDRs[0]: CIDR value "10.1.0.1/24" is ambiguous in this context (should be "10.1.0.0/24" or "10.1.0.1/32"?)',
  ]);
});

test("Node: a row tells its state, roles and addresses", () => {
  const object = node({
    metadata: {
      name: "n",
      labels: { "node-role.kubernetes.io/b": "", "kubernetes.io/role": "a", other: "" },
    },
    spec: { unschedulable: true },
    status: {
      conditions: [{ type: "Ready", status: "Unknown" }],
      addresses: [{ type: "InternalIP", address: "10.0.0.1" }],
      nodeInfo: { kernelVersion: "6.1", architecture: "amd64", kubeletVersion: "v1.36.4" },
    },
  });
  expect(Node.columns.map(({ cell }) => cell(object as never, { now: 0 }))).toEqual([
    "n",
    "NotReady,SchedulingDisabled",
    "a,b",
    "<unknown>",
    "v1.36.4",
    "10.0.0.1",
    "<none>",
    "<unknown>",
    "6.1 (amd64)",
    "<unknown>",
  ]);
});
