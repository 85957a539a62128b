import { expect } from "vitest";
import { each } from "../../../../../test/each.ts";
import { faults, podOf } from "./pod.test-support.ts";
import { validatePodResources } from "./pod-resources.ts";

const container = (resources: object) => ({ containers: [{ name: "c", image: "i", resources }] });

each<[string, object, object]>([
  [
    "without limits nothing is added",
    { resources: { requests: { cpu: "1" } } },
    { requests: { cpu: "1" } },
  ],
  [
    "limits are what is asked for",
    { resources: { limits: { cpu: "1" } } },
    { limits: { cpu: "1" }, requests: { cpu: "1" } },
  ],
  [
    "unless containers ask for something",
    { ...container({ requests: { cpu: "500m" } }), resources: { limits: { cpu: "1" } } },
    { limits: { cpu: "1" }, requests: { cpu: "500m" } },
  ],
  [
    "huge pages of containers are limits of the pod",
    {
      ...container({ limits: { "hugepages-2Mi": "4Mi", cpu: "1" } }),
      resources: { requests: { cpu: "1" } },
    },
    { limits: { "hugepages-2Mi": "4Mi" }, requests: { cpu: "1", "hugepages-2Mi": "4Mi" } },
  ],
])("defaultPodResources: %s", (_, spec, resources) => {
  expect(podOf({ spec }).spec.resources).toEqual(resources);
});

each<[string, object, readonly string[]]>([
  ["none is needed", {}, []],
  [
    "containers together ask for no more",
    { ...container({ requests: { cpu: "2" } }), resources: { requests: { cpu: "1" } } },
    [
      'resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 2',
    ],
  ],
  [
    "each of them is within the limit",
    {
      ...container({ limits: { cpu: "2" } }),
      resources: { limits: { cpu: "1" }, requests: { cpu: "1" } },
    },
    [
      'resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 2',
      'resources.containers[0][cpu].limits: Invalid value: "2": must be less than or equal to pod limits of 1',
    ],
  ],
  [
    "Windows has none",
    { os: { name: "windows" }, resources: {} },
    ["resources: Forbidden: may not be set for a windows pod"],
  ],
  [
    "only some resources are known for pods",
    { resources: { requests: { "ephemeral-storage": "1" } } },
    [
      'resources.requests[ephemeral-storage]: Unsupported value: "ephemeral-storage": supported values: "cpu", "hugepages-", "memory"',
    ],
  ],
])("validatePodResources: %s", (_, spec, expected) => {
  const context = { claimNames: new Set<string>(), options: {} };
  expect(faults((at) => validatePodResources(podOf({ spec }).spec, at, context))).toEqual(expected);
});
