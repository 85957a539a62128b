import { expect, test } from "vitest";
import { isScalarResource, milliOf, resourceOf } from "./resource.ts";

test.each([
  ["100m", 100],
  ["2", 2000],
  ["0.5", 500],
  ["1Gi", 2 ** 30 * 1000],
  ["1500u", 2],
])("milliOf: %s is %d thousandths, rounded up", (text, expected) => {
  expect(milliOf(text)).toBe(expected);
});

test("resourceOf: each resource is counted in its own unit", () => {
  const resource = resourceOf({
    cpu: "1500m",
    memory: "1Ki",
    "ephemeral-storage": "10",
    pods: "3",
    "example.com/gpu": "2",
    "hugepages-2Mi": "4Mi",
    storage: "1",
  });
  expect(resource).toMatchObject({
    milliCpu: 1500,
    memory: 1024,
    ephemeralStorage: 10,
    allowedPods: 3,
  });
  expect(resource.scalars).toEqual(
    new Map([
      ["example.com/gpu", 2],
      ["hugepages-2Mi", 4 * 2 ** 20],
    ]),
  );
  expect(resource.of("cpu")).toBe(1500);
  expect(resource.of("example.com/none")).toBe(0);
});

test("resourceOf: amounts beyond safe integers are clamped", () => {
  expect(resourceOf({ memory: "100Ei" }).memory).toBe(Number.MAX_SAFE_INTEGER);
});

test("resource: subtracting reverses adding", () => {
  const sum = resourceOf({ cpu: "1", "example.com/gpu": "1" });
  const other = resourceOf({ cpu: "2", memory: "5", "example.com/gpu": "3" });
  const copy = sum.clone();
  sum.add(other, 1);
  expect(sum).toMatchObject({ milliCpu: 3000, memory: 5 });
  expect(sum.of("example.com/gpu")).toBe(4);
  sum.add(other, -1);
  expect(sum).toMatchObject({ milliCpu: copy.milliCpu, memory: 0 });
  expect(copy.of("example.com/gpu")).toBe(1);
});

test.each([
  ["example.com/gpu", true],
  ["hugepages-1Gi", true],
  ["attachable-volumes-csi-x", true],
  ["pods.kubernetes.io/x", true],
  ["cpu", false],
  ["storage", false],
])("isScalarResource: %s → %s", (name, expected) => {
  expect(isScalarResource(name)).toBe(expected);
});

test.each([
  [{ cpu: "1" }, { cpu: "1000m" }, true],
  [{ cpu: "1" }, { cpu: "1", memory: "0" }, true],
  [{ "example.com/gpu": "2" }, { "example.com/gpu": "2" }, true],
  [{ cpu: "1" }, { cpu: "2" }, false],
  [{ memory: "1" }, { memory: "2" }, false],
  [{ "ephemeral-storage": "1" }, {}, false],
  [{ pods: "1" }, {}, false],
  [{}, { "example.com/gpu": "2" }, false],
  [{ "example.com/gpu": "2" }, { "example.com/gpu": "3" }, false],
  [{ "example.com/gpu": "2" }, { "example.com/fpga": "2" }, false],
])("equals: %j and %j: %j", (a, b, expected) => {
  expect(resourceOf(a).equals(resourceOf(b))).toBe(expected);
  expect(resourceOf(b).equals(resourceOf(a))).toBe(expected);
});
