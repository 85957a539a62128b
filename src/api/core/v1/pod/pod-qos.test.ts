import { expect, test } from "vitest";
import { each } from "../../../../../test/each.ts";
import type { ResourceRequirements } from "../container/resource-requirements.ts";
import { computePodQosClass, podQosClass } from "./pod-qos.ts";

const both = { cpu: "1", memory: "1Gi" };
const equal = { limits: both, requests: both };
const classOf = (...resources: readonly ResourceRequirements[]) =>
  computePodQosClass({ spec: { containers: resources.map((one) => ({ resources: one })) } });

each<[name: string, resources: readonly ResourceRequirements[], qos: string]>([
  ["nothing", [{}], "BestEffort"],
  ["zeros", [{ limits: { cpu: "0" }, requests: { memory: "0" } }], "BestEffort"],
  ["other resources", [{ limits: { "example.com/x": "1" } }], "BestEffort"],
  ["all limits equal to requests", [equal, equal], "Guaranteed"],
  [
    "the same in other words",
    [{ limits: both, requests: { cpu: "1000m", memory: "1024Mi" } }],
    "Guaranteed",
  ],
  ["requests below limits", [{ limits: both, requests: { ...both, cpu: "500m" } }], "Burstable"],
  ["no memory", [{ limits: { cpu: "1" }, requests: { cpu: "1" } }], "Burstable"],
  ["one container without", [equal, {}], "Burstable"],
  ["requests alone", [{ requests: both }], "Burstable"],
])("computePodQosClass: %s", (_, resources, qos) => {
  expect(classOf(...resources)).toBe(qos);
});

test("computePodQosClass: init containers count, and resources of the pod precede", () => {
  const containers = [{ resources: equal }];
  expect([
    computePodQosClass({ spec: { containers, initContainers: [{ resources: {} }] } }),
    computePodQosClass({ spec: { containers: [{ resources: {} }], resources: equal } }),
    computePodQosClass({ spec: { containers, resources: { requests: { cpu: "1" } } } }),
    computePodQosClass({ spec: { containers, resources: {} } }),
    computePodQosClass({ spec: { containers: null } }),
  ]).toEqual(["Burstable", "Guaranteed", "Burstable", "BestEffort", "BestEffort"]);
});

test("podQosClass: what the status says holds", () => {
  const pod = { spec: { containers: [] }, status: { qosClass: "Burstable" } };
  expect(podQosClass(pod)).toBe("Burstable");
});
