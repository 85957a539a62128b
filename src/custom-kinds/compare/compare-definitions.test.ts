import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { list, mapOf, struct } from "../language/containers.ts";
import { kind } from "../language/kind.ts";
import type { Properties, Property } from "../language/property.ts";
import { bool, int32, int64, intOrString, json, string } from "../language/scalars.ts";
import { compareDefinitions } from "./compare-definitions.ts";

const names = {
  group: "example.com",
  kind: "Widget",
  plural: "widgets",
  scope: "Namespaced",
  version: "v1",
} as const;
const specOf = (spec: Properties) => kind({ ...names, fields: { spec: struct(spec) } }).definition;

/** What is found, one line each: `!` is incompatible. */
const lines = (...args: Parameters<typeof compareDefinitions>): readonly string[] =>
  compareDefinitions(...args).map(
    ({ severity, path, what }) => `${severity === "note" ? "" : "! "}${path}: ${what}`,
  );

each<[title: string, old: Property, next: Property | undefined, found: readonly string[]]>([
  ["nothing", string().max(3), string().max(3).doc("New."), []],
  ["wider bounds", int32().min(2).max(5), int32().min(1).max(6), []],
  ["a wider format", int32(), int64(), []],
  ["a rule that is gone", string().rule("self != 'x'"), string(), []],
  ["a removed member", string(), undefined, ["! v1 .spec.a: is removed"]],
  ["another type", string(), bool(), ["! v1 .spec.a: the type is boolean, and was string"]],
  [
    "a wider type",
    int32(),
    intOrString(),
    ["v1 .spec.a: the type is integer or string, and was integer"],
  ],
  ["any type", string(), json(), ["v1 .spec.a: the type is any, and was string"]],
  [
    "a bound",
    int32(),
    int32().max(5),
    ["! v1 .spec.a: the greatest value is 5, and there was no bound"],
  ],
  [
    "a tighter bound",
    int32().max(6),
    int32().max(5),
    ["! v1 .spec.a: the greatest value is 5, and was 6"],
  ],
  ["an excluded bound", int32().max(5), int32().below(5), ["! v1 .spec.a: 5 itself is excluded"]],
  [
    "a length",
    string().min(1),
    string().min(2),
    ["! v1 .spec.a: the least length is 2, and was 1"],
  ],
  ["a narrower format", int64(), int32(), ["! v1 .spec.a: the format is int32, and was int64"]],
  [
    "a pattern",
    string(),
    string().pattern("^a"),
    ['! v1 .spec.a: it must match "^a", and there was no bound'],
  ],
  [
    "other values",
    string().values("a", "b"),
    string().values("b", "c"),
    ['! v1 .spec.a: "a" is no longer accepted', 'v1 .spec.a: "c" is accepted, too'],
  ],
  [
    "values",
    string(),
    string().values("a"),
    ['! v1 .spec.a: it must be one of "a", and there was no bound'],
  ],
  ["multiples that are multiples", int32().multipleOf(4), int32().multipleOf(2), []],
  [
    "multiples",
    int32(),
    int32().multipleOf(2),
    ["! v1 .spec.a: it must be a multiple of 2, and there was no bound"],
  ],
  ["required", string(), string().required(), ["! v1 .spec.a: is required, and was not"]],
  [
    "required with a default",
    string(),
    string().required().default("x"),
    ['v1 .spec.a: the default is "x", and there was none'],
  ],
  [
    "another default",
    int32().default(1),
    int32().default(2),
    ["! v1 .spec.a: the default is 2, and was 1"],
  ],
  ["no default", int32().default(1), int32(), ["! v1 .spec.a: there is no default, and it was 1"]],
  ["null", string().nullable(), string(), ["! v1 .spec.a: may no longer be null"]],
  [
    "a rule",
    string(),
    string().rule("self != 'x'"),
    [`! v1 .spec.a: the rule "self != 'x'" is new`],
  ],
  [
    "items",
    list(struct({ b: string() })),
    list(struct({ b: int32() })),
    ["! v1 .spec.a[*].b: the type is integer, and was string"],
  ],
  [
    "members of any name",
    mapOf(int32()),
    mapOf(int32().max(1)),
    ["! v1 .spec.a[*]: the greatest value is 1, and there was no bound"],
  ],
  [
    "a list type",
    list(struct({ b: string().required() })),
    list(struct({ b: string().required() })).keyedBy("b"),
    ["! v1 .spec.a: x-kubernetes-list-type is map, and was atomic"],
  ],
  [
    "a struct that is closed",
    struct({}).open(),
    struct({}),
    ["! v1 .spec.a: members that are not declared are removed, and were kept"],
  ],
])("compareDefinitions: %s", (_, old, next, found) => {
  expect(lines(specOf({ a: old }), specOf(next ? { a: next } : {}))).toEqual(found);
});

test("compareDefinitions: a new member is compatible, unless it is required", () => {
  const old = specOf({});
  expect(lines(old, specOf({ a: string() }))).toEqual([]);
  expect(lines(old, specOf({ a: string().required() }))).toEqual([
    "! v1 .spec.a: is required, and was not",
  ]);
});

const beta = kind({ ...names, version: "v1beta1", fields: {} });
const both = kind({ ...names, fields: {}, otherVersions: [beta] });
const { definition } = kind({ ...names, fields: {} });

test("compareDefinitions: a version may go when nothing is stored in it, and nobody uses it", () => {
  const unserved = kind({ ...names, version: "v1beta1", served: false, fields: {} });
  const prepared = kind({ ...names, fields: {}, otherVersions: [unserved] }).definition;
  const stored = { ...prepared, status: { storedVersions: ["v1beta1", "v1"] } };
  expect(lines(both.definition, prepared)).toEqual(["! v1beta1: the version is no longer served"]);
  expect(lines(both.definition, definition)).toEqual([
    "! v1beta1: the version is removed, and was served",
  ]);
  expect(lines(stored, definition)).toEqual([
    "! v1beta1: the version is removed, and objects may be stored in it",
  ]);
  expect(lines(prepared, definition)).toEqual([]);
  expect(lines(beta.definition, both.definition)).toEqual([
    "spec.versions: objects are stored in v1, and were in v1beta1",
  ]);
});

test("compareDefinitions: names, subresources and selectable fields", () => {
  const old = kind({
    ...names,
    shortNames: ["w"],
    fields: { spec: struct({ a: string(), n: int32() }), status: struct({ n: int32() }) },
    scale: { replicas: ".spec.n", currentReplicas: ".status.n" },
    selectableFields: [".spec.a"],
  });
  const next = kind({
    ...names,
    scope: "Cluster",
    fields: { spec: struct({ a: string(), n: int32() }), status: struct({ n: int32() }) },
    statusSubresource: false,
    conversion: { url: "https://example.com/" },
  });
  expect(lines(old.definition, next.definition)).toEqual([
    '! spec.scope: was "Namespaced", is "Cluster"',
    "spec.names.shortNames: w is gone",
    "! v1: the subresource status is gone",
    "! v1: the subresource scale is gone",
    "! v1 .spec.a: objects can no longer be selected by it",
    "spec.conversion: objects are converted by a webhook",
  ]);
});
