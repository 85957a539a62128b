import { expect, test } from "vitest";
import { created, now, updated, written } from "../written.test-support.ts";
import { ResourceSlice } from "./resource-slice.ts";

const base = {
  driver: "gpu.example.com",
  pool: { name: "p", generation: 1, resourceSliceCount: 1 },
};
const onAll = { ...base, allNodes: true };
const withDevice = (device: object) => ({ ...onAll, devices: [{ name: "d", ...device }] });
const withPolicy = (requestPolicy: object) =>
  withDevice({
    allowMultipleAllocations: true,
    capacity: { memory: { value: "8Gi", requestPolicy } },
  });
const policyAt = "spec.devices[0].capacity[memory].requestPolicy";
const times = (count: number) => Array.from({ length: count }, (_, i) => i);
const longName = `${"a".repeat(60)}/${"b".repeat(40)}`;
const ways =
  "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";

const refused: readonly [rule: string, spec: object, errors: readonly string[]][] = [
  [
    "nodes are given in one way",
    { ...onAll, nodeName: "n" },
    [`spec: Invalid value: "{\`nodeName\`, \`allNodes\`}": ${ways}, but multiple fields are set`],
  ],
  [
    "a flag for nodes is true or absent",
    { ...base, allNodes: false, perDeviceNodeSelection: false },
    [
      "spec.allNodes: Invalid value: false: must be either unset or set to true",
      "spec.perDeviceNodeSelection: Invalid value: false: must be either unset or set to true",
      `spec: Required value: ${ways}`,
    ],
  ],
  [
    "a selector has one term",
    {
      ...base,
      nodeSelector: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "Exists" }] }, {}],
      },
    },
    [
      'spec.nodeSelector.nodeSelectorTerms: Invalid value: [{"MatchExpressions":[{"Key":"a","Operator":"Exists","Values":null}],"MatchFields":null},{"MatchExpressions":null,"MatchFields":null}]: must have exactly one node selector term',
    ],
  ],
  [
    "a pool may have a path, each part of which is a DNS subdomain",
    { ...onAll, pool: { ...base.pool, name: `a/${"b".repeat(253)}` } },
    ["spec.pool.name: Too long: may not be more than 253 bytes"],
  ],
  [
    "there are counters or devices, even if they are empty",
    { ...onAll, sharedCounters: [], devices: [] },
    ['spec: Invalid value: "": only one of `sharedCounters` or `devices` is allowed'],
  ],
  [
    "a set of counters has a name and counters, and no name comes twice",
    {
      ...onAll,
      sharedCounters: [
        { counters: { C: { value: "1" } } },
        { name: "s" },
        { name: "s", counters: { c: { value: "1" } } },
      ],
    },
    [
      "spec.sharedCounters[0].name: Required value",
      "spec.sharedCounters[0].counters: Invalid value: \"C\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      "spec.sharedCounters[1].counters: Required value",
      'spec.sharedCounters[2]: Duplicate value: "s"',
    ],
  ],
  [
    "a slice has 128 devices, or 64 if one of them has a taint",
    {
      ...onAll,
      devices: times(65).map((i) => ({
        name: `d${i}`,
        ...(i === 0 ? { taints: [{ key: "a", effect: "None" }] } : {}),
      })),
    },
    ["spec.devices: Too many: 65: must have at most 64 items"],
  ],
  [
    "a device has at most 32 attributes and capacities",
    withDevice({
      attributes: Object.fromEntries(times(32).map((i) => [`a${i}`, { int: i }])),
      capacity: { c: { value: "1" } },
    }),
    [
      "spec.devices[0]: Invalid value: 33: the total number of attributes and capacities must not exceed 32",
    ],
  ],
  [
    "an attribute has one value",
    withDevice({ attributes: { a: { bool: false, string: "x" } } }),
    [
      'spec.devices[0].attributes[a]: Invalid value: {"IntValue":null,"BoolValue":false,"StringValue":"x","VersionValue":null,"IntValues":null,"BoolValues":null,"StringValues":null,"VersionValues":null}: exactly one value must be specified',
    ],
  ],
  [
    "a version may have a pre-release and a build, but no leading zeros",
    withDevice({
      attributes: { a: { version: "1.2.3-rc.1+b.01" }, b: { version: "1.02.3" } },
    }),
    [
      'spec.devices[0].attributes[b].version: Invalid value: "1.02.3": must be a string compatible with semver.org spec 2.0.0',
    ],
  ],
  [
    "the name of an attribute has a domain and a name, or a name",
    withDevice({ attributes: { "/a": { int: 1 }, "b.example/": { int: 1 } } }),
    [
      'spec.devices[0].attributes: Invalid value: "": the domain must not be empty',
      'spec.devices[0].attributes: Invalid value: "": the name must not be empty',
    ],
  ],
  [
    "a long name of a capacity is shortened in the place of an error",
    withDevice({ capacity: { [longName]: { value: "1", requestPolicy: {} } } }),
    [
      "spec.devices[0].capacity: Too long: may not be more than 32 bytes",
      `spec.devices[0].capacity[${"a".repeat(47)}...aaaaa/${"b".repeat(40)}].requestPolicy: Forbidden: allowMultipleAllocations must be true`,
    ],
  ],
  [
    "a policy has amounts or a range",
    withPolicy({ default: "1Gi", validValues: ["1Gi"], validRange: { min: "1Gi" } }),
    [
      `${policyAt}: Forbidden: exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time`,
    ],
  ],
  [
    "amounts go up, fit, differ, and have the default among them",
    withPolicy({ default: "3Gi", validValues: ["2Gi", "1Gi", "1024Mi", "9Gi"] }),
    [
      `${policyAt}.validValues[1]: Invalid value: "1Gi": values must be sorted in ascending order`,
      `${policyAt}.validValues[3]: Invalid value: "9Gi": option is larger than capacity value: 8Gi`,
      `${policyAt}.validValues[2]: Duplicate value: "1073741824"`,
      `${policyAt}.validValues: Invalid value: "3Gi": default value is not valid according to the requestPolicy`,
    ],
  ],
  [
    "amounts and ranges need a default",
    withPolicy({ validRange: { min: "1Gi" } }),
    [`${policyAt}.default: Required value: required when validRange is defined`],
  ],
  [
    "a range holds the default, and fits",
    withPolicy({ default: "1Gi", validRange: { min: "2Gi", max: "9Gi", step: "3Gi" } }),
    [
      `${policyAt}.validRange.min: Invalid value: "1Gi": default is less than min: 2Gi`,
      `${policyAt}.validRange.max: Invalid value: "9Gi": max is larger than capacity value: 8Gi`,
      `${policyAt}.validRange.step: Invalid value: "1Gi": value is not a multiple of a given step (3Gi) from (2Gi)`,
      `${policyAt}.validRange.step: Invalid value: "9Gi": value is not a multiple of a given step (3Gi) from (2Gi)`,
    ],
  ],
  [
    "a range has a least amount",
    withPolicy({ default: "1Gi", validRange: {} }),
    [`${policyAt}.validRange.min: Required value: required when validRange is defined`],
  ],
  [
    "a device draws from each set of counters once, and from two at most",
    withDevice({
      consumesCounters: [
        { counterSet: "s", counters: { c: { value: "1" } } },
        { counterSet: "s", counters: {} },
      ],
    }),
    [
      "spec.devices[0].consumesCounters[1].counters: Required value",
      'spec.devices[0].consumesCounters[1]: Duplicate value: "s"',
    ],
  ],
  [
    "a device says its nodes where the slice asks for it",
    {
      ...base,
      perDeviceNodeSelection: true,
      devices: [{ name: "d" }, { name: "e", nodeName: "" }],
    },
    [
      "spec.devices[0]: Required value: exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec",
      'spec.devices[1].nodeName: Invalid value: "": must not be empty',
      "spec.devices[1]: Required value: exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec",
    ],
  ],
  [
    "a device says its nodes only there",
    withDevice({ allNodes: true }),
    [
      "spec.devices[0]: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec",
    ],
  ],
];

test.each(refused)("ResourceSlice: %s", (_, spec, errors) => {
  expect(created(ResourceSlice, { spec }).errors).toEqual(errors);
});

test("ResourceSlice: a taint gets the time, and what belongs to alphas is dropped", () => {
  const { object } = created(ResourceSlice, {
    spec: withDevice({
      taints: [{ key: "a", effect: "None" }],
      attributes: { a: { int: 1, ints: [1] } },
      nodeAllocatableResourceMappings: { cpu: { capacityKey: "c" } },
    }),
  });
  expect({ generation: object.metadata.generation, devices: object.spec.devices }).toEqual({
    generation: 1,
    devices: [
      {
        name: "d",
        taints: [{ key: "a", effect: "None", timeAdded: now }],
        attributes: { a: { int: 1 } },
      },
    ],
  });
});

test("ResourceSlice: driver, pool and node never change", () => {
  const old = created(ResourceSlice, { spec: { ...base, nodeName: "n" } }).object;
  const spec = { driver: "other", pool: { ...base.pool, name: "q" }, allNodes: true };
  const { object, errors } = updated(ResourceSlice, old, { body: { spec } });
  expect({ generation: object.metadata.generation, errors }).toEqual({
    generation: 2,
    errors: [
      'spec.pool.name: Invalid value: "q": field is immutable',
      'spec.driver: Invalid value: "other": field is immutable',
      "spec.nodeName: Invalid value: null: field is immutable",
    ],
  });
});

test("ResourceSlice: taints that are as they were are not validated again", () => {
  const spec = withDevice({ taints: [{ key: "a", effect: "Gone", timeAdded: now }] });
  const old = written(ResourceSlice, { spec });
  expect([
    created(ResourceSlice, { spec }).errors,
    updated(ResourceSlice, old, { body: { spec } }).errors,
  ]).toEqual([
    [
      'spec.devices[0].taints[0].effect: Unsupported value: "Gone": supported values: "NoExecute", "NoSchedule", "None"',
    ],
    [],
  ]);
});

test("ResourceSlice: a driver with capitals is warned of", () => {
  const slice = written(ResourceSlice, { spec: { ...onAll, driver: "GPU.example.com" } });
  expect(ResourceSlice.strategy.warnings?.(slice as never, undefined)).toEqual([
    'spec.driver: driver names should be lowercase; "GPU.example.com" contains uppercase characters',
  ]);
});
