import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { created, updated } from "../../kind.test-support.ts";
import { PriorityClass } from "./priority-class.ts";

const reserved =
  "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error:";

each<[rule: string, name: string, body: object, errors: readonly string[]]>([
  ["the highest priority of users is allowed", "a", { value: 1_000_000_000 }, []],
  [
    "one more is not",
    "a",
    { value: 1_000_000_001 },
    ["value: Forbidden: maximum allowed value of a user defined priority is 1000000000"],
  ],
  [
    "classes of the system may be made as they are",
    "system-node-critical",
    { value: 2000001000 },
    [],
  ],
  [
    "their value is fixed",
    "system-cluster-critical",
    { value: 1 },
    [`${reserved} value of system-cluster-critical PriorityClass must be 2000000000`],
  ],
  [
    "they are no default",
    "system-cluster-critical",
    { value: 2000000000, globalDefault: true },
    [`${reserved} globalDefault of system-cluster-critical PriorityClass must be false`],
  ],
  [
    "there are no others",
    "system-mine",
    { value: 1 },
    [`${reserved} system-mine is not a known system priority class`],
  ],
  [
    "a policy that is not known is refused",
    "a",
    { preemptionPolicy: "Always" },
    [
      'preemptionPolicy: Unsupported value: "Always": supported values: "PreemptLowerPriority", "Never"',
    ],
  ],
  ["an empty policy is none", "a", { preemptionPolicy: "" }, ["preemptionPolicy: Required value"]],
])("PriorityClass: %s", (_, name, body, errors) => {
  expect(created(PriorityClass, { metadata: { name }, ...body })).toEqual(errors);
});

test("PriorityClass: neither value nor policy change, the default may", () => {
  const now = { value: 2, preemptionPolicy: "Never", globalDefault: true };
  expect(updated(PriorityClass, { value: 1 }, now)).toEqual([
    "value: Forbidden: may not be changed in an update.",
    'preemptionPolicy: Invalid value: "Never": field is immutable',
  ]);
});
