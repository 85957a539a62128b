import { expect, test } from "vitest";
import { created, updated } from "../written.test-support.ts";
import { DeviceClass } from "./device-class.ts";

const refused: readonly [rule: string, spec: object, errors: readonly string[]][] = [
  [
    "there are at most 32 selectors",
    { selectors: Array.from({ length: 33 }, () => ({})) },
    ["spec.selectors: Too many: 33: must have at most 32 items"],
  ],
  [
    "there are at most 32 configurations",
    { config: Array.from({ length: 33 }, () => ({})) },
    ["spec.config: Too many: 33: must have at most 32 items"],
  ],
  [
    "parameters that are null are missing",
    { config: [{ opaque: { driver: "d", parameters: null } }] },
    ["spec.config[0].opaque.parameters: Required value"],
  ],
  [
    "an extended resource is not one of Kubernetes",
    { extendedResourceName: "kubernetes.io/gpu" },
    [
      'spec.extendedResourceName: Invalid value: "kubernetes.io/gpu": must be a valid extended resource name',
    ],
  ],
  [
    "an extended resource does not look like a quota",
    { extendedResourceName: "requests.example.com/gpu" },
    [
      'spec.extendedResourceName: Invalid value: "requests.example.com/gpu": must be a valid extended resource name',
    ],
  ],
  ["an extended resource has a domain", { extendedResourceName: "example.com/gpu" }, []],
];

test.each(refused)("DeviceClass: %s", (_, spec, errors) => {
  expect(created(DeviceClass, { spec }).errors).toEqual(errors);
});

test("DeviceClass: a name that is too long is counted in bytes", () => {
  const name = "x".repeat(254);
  expect(created(DeviceClass, { metadata: { name } }).errors).toEqual([
    `metadata.name: Invalid value: "${name}": must be no more than 253 bytes`,
  ]);
});

test("DeviceClass: long parameters that were stored may stay, and the generation with them", () => {
  const config = [{ opaque: { driver: "d", parameters: { a: "x".repeat(20_000) } } }];
  const { object: old, errors } = created(DeviceClass, { spec: { config } });
  const same = updated(DeviceClass, old, { body: { spec: { config } } });
  const other = updated(DeviceClass, old, { body: { spec: { config: [...config, ...config] } } });
  const tooLong = (i: number) =>
    `spec.config[${i}].opaque.parameters: Too long: may not be more than 10240 bytes`;
  expect([errors, same.errors, other.errors]).toEqual([[tooLong(0)], [], [tooLong(0), tooLong(1)]]);
  expect([same, other].map(({ object }) => object.metadata.generation)).toEqual([1, 2]);
});
