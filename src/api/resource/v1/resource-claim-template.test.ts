import { expect, test } from "vitest";
import { created, updated } from "../written.test-support.ts";
import { ResourceClaimTemplate } from "./resource-claim-template.ts";

const refused: readonly [rule: string, spec: object, errors: readonly string[]][] = [
  ["labels and annotations pass on", { metadata: { labels: { a: "b" } } }, []],
  [
    "nothing else of the metadata can be set",
    { metadata: { name: "a", uid: "1" } },
    ["spec.metadata.name: Forbidden: cannot be set", "spec.metadata.uID: Forbidden: cannot be set"],
  ],
  [
    "a request has a class",
    { spec: { devices: { requests: [{ name: "r", exactly: {} }] } } },
    ["spec.spec.devices.requests[0].exactly.deviceClassName: Required value"],
  ],
];

test.each(refused)("ResourceClaimTemplate: %s", (_, spec, errors) => {
  expect(created(ResourceClaimTemplate, { spec }).errors).toEqual(errors);
});

test("ResourceClaimTemplate: it never changes, but for quantities that mean the same", () => {
  const withMemory = (memory: string) => ({
    spec: {
      devices: {
        requests: [
          { name: "r", exactly: { deviceClassName: "c", capacity: { requests: { memory } } } },
        ],
      },
    },
  });
  const old = created(ResourceClaimTemplate, { spec: withMemory("1Gi") }).object;
  const errorsWith = (memory: string) =>
    updated(ResourceClaimTemplate, old, { body: { spec: withMemory(memory) } }).errors;
  expect([errorsWith("1024Mi"), errorsWith("2Gi")]).toEqual([
    [],
    [
      'spec: Invalid value: {"Spec":{"Devices":{"Requests":[{"Name":"r","Exactly":{"DeviceClassName":"c","Selectors":null,"AllocationMode":"ExactCount","Count":1,"AdminAccess":null,"Tolerations":null,"Capacity":{"Requests":{"memory":"2Gi"}}},"FirstAvailable":null}],"Constraints":null,"Config":null}}}: field is immutable',
    ],
  ]);
});
