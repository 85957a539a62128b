import { expect, test } from "vitest";
import { At } from "../../../schema/language/report.ts";
import {
  isDivisibleIntoPages,
  isExtendedResource,
  isOvercommitAllowed,
  validateContainerResourceName,
  validatePodResourceName,
  validateResourceQuantity,
} from "./resource-name.ts";

const messages = (rule: (at: At) => void): readonly string[] => {
  const at = At.root();
  rule(at.child("r"));
  return at.errors.map(({ message }) => message);
};

test("validateContainerResourceName: only what containers can use, or what is someone else's", () => {
  const rule = (name: string) => messages((at) => validateContainerResourceName(name, at));
  expect(
    Object.fromEntries(
      ["cpu", "hugepages-2Mi", "example.com/x", "kubernetes.io/x", "pods", "bogus"].map((name) => [
        name,
        rule(name),
      ]),
    ),
  ).toEqual({
    cpu: [],
    "hugepages-2Mi": [],
    "example.com/x": [],
    "kubernetes.io/x": [],
    pods: ['Invalid value: "pods": must be a standard resource for containers'],
    bogus: [
      'Invalid value: "bogus": must be a standard resource type or fully qualified',
      'Invalid value: "bogus": must be a standard resource for containers',
    ],
  });
  expect(rule("requests.example.com/x")).toEqual([
    'Invalid value: "requests.example.com/x": doesn\'t follow extended resource name standard',
  ]);
});

test("validatePodResourceName: a pod as a whole has cpu, memory and huge pages", () => {
  expect(messages((at) => validatePodResourceName("ephemeral-storage", at))).toEqual([
    'Unsupported value: "ephemeral-storage": supported values: "cpu", "hugepages-", "memory"',
  ]);
  expect(messages((at) => validatePodResourceName("hugepages-1Gi", at))).toEqual([]);
});

test("validateResourceQuantity: not negative, and whole where things are counted", () => {
  const rule = (name: string, amount: string) =>
    messages((at) => validateResourceQuantity(name, amount, at));
  expect([
    rule("cpu", "1500m"),
    rule("cpu", "-1"),
    rule("example.com/x", "1500m"),
    rule("example.com/x", "9E"),
    rule("pods", "-500m"),
  ]).toEqual([
    [],
    ['Invalid value: "-1": must be greater than or equal to 0'],
    ['Invalid value: "1500m": must be an integer'],
    [],
    [
      'Invalid value: "-500m": must be greater than or equal to 0',
      'Invalid value: "-500m": must be an integer',
    ],
  ]);
});

test("isDivisibleIntoPages: amounts are multiples of the page size in the name", () => {
  expect(
    (
      [
        ["hugepages-2Mi", "4Mi"],
        ["hugepages-2Mi", "3Mi"],
        ["hugepages-2Mi", "0"],
        ["hugepages-", "1"],
        ["hugepages-0", "1"],
        ["hugepages-500m", "1"],
      ] as const
    ).map(([name, amount]) => isDivisibleIntoPages(name, amount)),
  ).toEqual([true, false, true, false, false, false]);
});

test("extended resources and huge pages are never overcommitted", () => {
  const names = ["cpu", "hugepages-2Mi", "example.com/x", "kubernetes.io/x", "requests.a.b/x"];
  expect(names.map(isOvercommitAllowed)).toEqual([true, false, false, true, false]);
  expect(names.map(isExtendedResource)).toEqual([false, false, true, false, false]);
});
