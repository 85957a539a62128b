import { expect, test } from "vitest";
import { admitted } from "./attributes.test-support.ts";
import { priority } from "./priority.ts";

const preemptionPolicy = "PreemptLowerPriority";
const critical = "system-cluster-critical";

test.each([
  ["a pod without a class", {}, { priority: 0, preemptionPolicy }],
  [
    "a class",
    { priorityClassName: critical },
    { priorityClassName: critical, priority: 2_000_000_000, preemptionPolicy },
  ],
  ["a priority that is the class's", { priority: 0 }, { priority: 0, preemptionPolicy }],
  [
    "a class that does not exist",
    { priorityClassName: "x" },
    'pods "a" is forbidden: no PriorityClass with name x was found',
  ],
  [
    "a class named as JavaScript's own",
    { priorityClassName: "constructor" },
    'pods "a" is forbidden: no PriorityClass with name constructor was found',
  ],
  [
    "another priority",
    { priority: 5 },
    'pods "a" is forbidden: the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
  ],
  [
    "another policy",
    { preemptionPolicy: "Never" },
    'pods "a" is forbidden: the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority admission controller computed PreemptLowerPriority from the given PriorityClass name',
  ],
])("priority: %s", async (_, spec, wanted) => {
  expect(await admitted(priority, { spec })).toEqual(wanted);
});

test("priority: an update keeps what it leaves out", async () => {
  const old = { spec: { priority: 7, preemptionPolicy: "Never" } };
  expect(await admitted(priority, { operation: "UPDATE", old })).toEqual(old.spec);
});

test("priority: other kinds are left alone", async () => {
  expect(await admitted(priority, { kind: "Service" })).toEqual({});
});
