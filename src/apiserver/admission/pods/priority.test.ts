import { expect, test } from "vitest";
import { openParts, write } from "../../verbs/verb-parts.test-support.ts";
import { admissionChain } from "../admission.ts";
import { admitted, attributes, kindAt, type TestAttributes } from "../attributes.test-support.ts";
import { priority } from "./priority.ts";

const kind = kindAt("scheduling.k8s.io", "priorityclasses");
const preemptionPolicy = "PreemptLowerPriority";
const high = { value: 100, preemptionPolicy };
const gentle = { value: 50, preemptionPolicy: "Never" };

/** The plugin in a cluster that has such classes. */
async function pluginWith(classes: Record<string, object>) {
  const parts = await openParts();
  for (const [name, more] of Object.entries(classes)) await write(parts, kind, name, more);
  return priority(parts);
}

test.each([
  ["a pod without a class", {}, { priority: 0, preemptionPolicy }],
  [
    "a class",
    { priorityClassName: "high" },
    { priorityClassName: "high", priority: 100, preemptionPolicy },
  ],
  [
    "a class whose pods displace nobody",
    { priorityClassName: "gentle" },
    { priorityClassName: "gentle", priority: 50, preemptionPolicy: "Never" },
  ],
  ["a priority that is the class's", { priority: 0 }, { priority: 0, preemptionPolicy }],
  [
    "a class that does not exist",
    { priorityClassName: "x" },
    'pods "a" is forbidden: no PriorityClass with name x was found',
  ],
  [
    "another priority",
    { priority: 5 },
    'pods "a" is forbidden: the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
  ],
  [
    "another policy",
    { priorityClassName: "gentle", preemptionPolicy },
    'pods "a" is forbidden: the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; priority admission controller computed Never from the given PriorityClass name',
  ],
])("priority: %s", async (_, spec, wanted) => {
  expect(await admitted(await pluginWith({ high, gentle }), { spec })).toEqual(wanted);
});

test("priority: a pod that names no class has the default one, the lowest of several", async () => {
  const plugin = await pluginWith({
    a: { ...high, globalDefault: true },
    b: { ...gentle, globalDefault: true },
    c: { value: 1, preemptionPolicy },
  });
  expect(await admitted(plugin, {})).toEqual({
    priorityClassName: "b",
    priority: 50,
    preemptionPolicy: "Never",
  });
});

test("priority: an update keeps the fields that it leaves out", async () => {
  const old = { spec: { priority: 7, preemptionPolicy: "Never" } };
  const plugin = await pluginWith({});
  expect(await admitted(plugin, { operation: "UPDATE", old })).toEqual(old.spec);
});

test("priority: other kinds are left alone", async () => {
  expect(await admitted(await pluginWith({}), { kind: "Service" })).toEqual({});
});

const taken =
  'priorityclasses.scheduling.k8s.io "a" is forbidden: PriorityClass b is already marked as default. Only one default can exist';

test.each([
  ["the first default", "CREATE", {}, true, undefined],
  ["a second default", "CREATE", { b: { ...high, globalDefault: true } }, true, taken],
  [
    "one that becomes a second default",
    "UPDATE",
    { b: { ...high, globalDefault: true } },
    true,
    taken,
  ],
  ["the default itself", "UPDATE", { a: { ...high, globalDefault: true } }, true, undefined],
  ["one beside the default", "CREATE", { b: { ...high, globalDefault: true } }, false, undefined],
  [
    "the end of a second default",
    "DELETE",
    { b: { ...high, globalDefault: true } },
    true,
    undefined,
  ],
] as const)("priority: %s", async (_, operation, classes, globalDefault, rejection) => {
  const given: TestAttributes = { operation, address: { kind, namespace: "", name: "a" } };
  const request = attributes(given);
  Object.assign(request.object, { value: 5, globalDefault });
  const plugin = await pluginWith(classes);
  const outcome = await admissionChain([plugin])
    .validate(request as never)
    .catch((error: Error) => error.message);
  expect(outcome).toEqual(rejection);
});
