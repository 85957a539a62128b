import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import type { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import { definitionOf } from "./custom.test-support.ts";
import { isServing, nextStatus } from "./definition-status.ts";

const now = "2026-01-01T00:00:00Z";
const earlier = "2025-01-01T00:00:00Z";
const names = { plural: "gears", singular: "gear", kind: "Gear", listKind: "GearList" };
type Names = Partial<typeof names> & { shortNames?: string[]; categories?: string[] };

function definition(spec: object, status: object = {}, metadata: object = {}) {
  const whole = definitionOf({ names, ...spec });
  return {
    ...whole,
    metadata: { ...whole.metadata, ...metadata },
    status: { conditions: null, acceptedNames: { plural: "", kind: "" }, ...status },
  } as unknown as CustomResourceDefinition;
}
const condition = (type: string, status: string, [reason, message]: [string, string]) => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: earlier,
});
const noConflicts: [string, string] = ["NoConflicts", "no conflicts found"];
const accepted = condition("NamesAccepted", "True", noConflicts);
const installing = condition("Established", "False", [
  "Installing",
  "the initial names have been accepted",
]);
const established = condition("Established", "True", [
  "InitialNamesAccepted",
  "the initial names have been accepted",
]);

/** Status, reason, message and time of all conditions. */
const conditionsOf = (status: ReturnType<typeof nextStatus>) =>
  status?.conditions?.map((each) => [
    each.type,
    each.status,
    each.reason,
    each.message,
    each.lastTransitionTime,
  ]);

test("names are accepted first, then it is established, then nothing is to be done", () => {
  const first = nextStatus(definition({}), [], now);
  expect([first?.acceptedNames, conditionsOf(first)]).toEqual([
    names,
    [
      ["NamesAccepted", "True", ...noConflicts, now],
      ["Established", "False", "Installing", "the initial names have been accepted", now],
    ],
  ]);
  const second = nextStatus(
    definition({}, { acceptedNames: names, conditions: [accepted, installing] }),
    [],
    now,
  );
  expect(conditionsOf(second)).toEqual([
    ["NamesAccepted", "True", ...noConflicts, earlier],
    ["Established", "True", "InitialNamesAccepted", "the initial names have been accepted", now],
  ]);
  const last = { acceptedNames: names, conditions: [accepted, established] };
  expect(nextStatus(definition({}, last), [], now)).toBe(undefined);
});

const rival = (given: Names) =>
  definition(
    { names: { ...names, plural: "others" } },
    { acceptedNames: { plural: "x", kind: "X", ...given } },
  );

each<[what: string, wanted: Names, taken: Names, reason: string, message: string, left: Names]>([
  [
    "a plural",
    {},
    { plural: "gears" },
    "PluralConflict",
    '"gears" is already in use',
    { ...names, plural: "" },
  ],
  [
    "a singular that is another's plural",
    {},
    { plural: "gear" },
    "SingularConflict",
    '"gear" is already in use',
    { plural: "gears", kind: "Gear", listKind: "GearList" },
  ],
  [
    "a kind that is another's list",
    {},
    { listKind: "Gear" },
    "KindConflict",
    '"Gear" is already in use',
    { ...names, kind: "" },
  ],
  [
    "a kind of lists",
    {},
    { kind: "GearList" },
    "ListKindConflict",
    '"GearList" is already in use',
    { plural: "gears", singular: "gear", kind: "Gear" },
  ],
  [
    "short names",
    { shortNames: ["a", "b", "c"] },
    { shortNames: ["a", "c"] },
    "ShortNamesConflict",
    '["a" is already in use, "c" is already in use]',
    names,
  ],
  [
    "several, of which the last is reported",
    {},
    { plural: "gears", kind: "Gear" },
    "KindConflict",
    '"Gear" is already in use',
    { ...names, plural: "", kind: "" },
  ],
])("names that another has: %s", (_, wanted, taken, reason, message, left) => {
  const status = nextStatus(definition({ names: { ...names, ...wanted } }), [rival(taken)], now);
  expect([conditionsOf(status), status?.acceptedNames]).toEqual([
    [
      ["NamesAccepted", "False", reason, message, now],
      ["Established", "False", "NotAccepted", "not all names are accepted", now],
    ],
    left,
  ]);
});

test("names in another group are no others'", () => {
  const other = { ...rival({ plural: "gears" }), spec: { ...rival({}).spec, group: "h.io" } };
  expect(conditionsOf(nextStatus(definition({}), [other], now))?.[0]?.[1]).toBe("True");
});

test("an established definition stays so, and keeps the names that it cannot change", () => {
  const wanted = { ...names, kind: "Wheel", categories: ["all"] };
  const status = nextStatus(
    definition({ names: wanted }, { acceptedNames: names, conditions: [accepted, established] }),
    [rival({ kind: "Wheel" })],
    now,
  );
  expect([conditionsOf(status), status?.acceptedNames]).toEqual([
    [
      ["NamesAccepted", "False", "KindConflict", '"Wheel" is already in use', now],
      [
        "Established",
        "True",
        "InitialNamesAccepted",
        "the initial names have been accepted",
        earlier,
      ],
    ],
    { ...names, categories: ["all"] },
  ]);
});

each<
  [what: string, annotation: string | undefined, status: string, reason: string, message: RegExp]
>([
  [
    "is missing",
    undefined,
    "False",
    "MissingAnnotation",
    /^protected groups must have approval annotation "api-approved\.kubernetes\.io", see /,
  ],
  [
    "is left out",
    "unapproved, for now",
    "False",
    "UnapprovedAnnotation",
    /^not approved: "unapproved, for now"$/,
  ],
  [
    "is there",
    "https://k8s.io/x",
    "True",
    "ApprovedAnnotation",
    /^approved in https:\/\/k8s\.io\/x$/,
  ],
  [
    "is none",
    "yes",
    "False",
    "InvalidAnnotation",
    /with either a URL or a reason starting with "unapproved", see /,
  ],
])(
  "in the community's groups it is told whether approval %s",
  (_, annotation, state, reason, message) => {
    const annotations =
      annotation === undefined ? {} : { "api-approved.kubernetes.io": annotation };
    const status = nextStatus(definition({ group: "x.k8s.io" }, {}, { annotations }), [], now);
    expect(conditionsOf(status)).toEqual([
      ["KubernetesAPIApprovalPolicyConformant", state, reason, expect.stringMatching(message), now],
    ]);
  },
);

test("a schema that older servers accepted gets the condition NonStructuralSchema", () => {
  const status = nextStatus(definition({ preserveUnknownFields: true }), [], now);
  expect(conditionsOf(status)).toEqual([
    [
      "NonStructuralSchema",
      "True",
      "Violations",
      "spec.preserveUnknownFields: Invalid value: true: must be false",
      now,
    ],
  ]);
});

each<[what: string, status: object, serving: boolean]>([
  ["nothing is accepted", {}, false],
  ["its names are", { acceptedNames: names, conditions: [accepted, installing] }, true],
  ["it is established", { acceptedNames: names, conditions: [established] }, true],
  ["it has no names", { conditions: [established] }, false],
])("isServing: where %s", (_, status, serving) => {
  expect(isServing(definition({}, status))).toBe(serving);
});
