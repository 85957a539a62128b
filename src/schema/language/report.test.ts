import { expect, test } from "vitest";
import { At, omitted } from "./report.ts";

const cases: readonly (readonly [
  name: string,
  report: (at: At) => void,
  field: string,
  message: string,
])[] = [
  ["required", (at) => at.required("a"), "spec.a", "Required value"],
  ["required here", (at) => at.required("", "say why"), "spec", "Required value: say why"],
  ["invalid text", (at) => at.invalid("a", 'x"', "bad"), "spec.a", 'Invalid value: "x\\"": bad'],
  ["invalid number", (at) => at.invalid("a", 1, "bad"), "spec.a", "Invalid value: 1: bad"],
  [
    "invalid nothing",
    (at) => at.invalid("a", undefined, "bad"),
    "spec.a",
    "Invalid value: null: bad",
  ],
  [
    "invalid object",
    (at) => at.invalid("a", { b: [1] }, "bad"),
    "spec.a",
    'Invalid value: {"b":[1]}: bad',
  ],
  ["invalid as a whole", (at) => at.invalid("a", omitted, "bad"), "spec.a", "Invalid value: bad"],
  ["invalid without detail", (at) => at.invalid("a", 1, ""), "spec.a", "Invalid value: 1"],
  ["forbidden", (at) => at.forbidden("a", "no"), "spec.a", "Forbidden: no"],
  [
    "not supported",
    (at) => at.notSupported("a", "x", ["b", "c"]),
    "spec.a",
    'Unsupported value: "x": supported values: "b", "c"',
  ],
  [
    "not supported at all",
    (at) => at.notSupported("a", "x", []),
    "spec.a",
    'Unsupported value: "x"',
  ],
  ["duplicate", (at) => at.duplicate("a[1]", "x"), "spec.a[1]", 'Duplicate value: "x"'],
  ["not found", (at) => at.notFound("a", "x"), "spec.a", 'Not found: "x"'],
  ["too long", (at) => at.tooLong("a", 5), "spec.a", "Too long: may not be more than 5 bytes"],
  ["too many", (at) => at.tooMany("a", 3, 1), "spec.a", "Too many: 3: must have at most 1 item"],
  [
    "too many, uncounted",
    (at) => at.tooMany("a", -1, 2),
    "spec.a",
    "Too many: must have at most 2 items",
  ],
  ["too few", (at) => at.tooFew("a", 0, 1), "spec.a", "Too few: 0: must have at least 1 item"],
  ["wrong type", (at) => at.typeInvalid("a", true, "bad"), "spec.a", "Invalid value: true: bad"],
  ["internal", (at) => at.internal("a", "oops"), "spec.a", "Internal error: oops"],
];

test.each(cases)("At: %s", (_, report, field, message) => {
  const at = At.root();
  report(at.child("spec"));
  expect(at.errors.map((error) => [error.field, error.message])).toEqual([[field, message]]);
});

test("At: paths are put together of names, indices and keys", () => {
  const at = At.root();
  at.child("spec").child("ports").index(2).required("name");
  at.child("data").key("a.b").invalid("", "x", "bad");
  at.index(0).required();
  at.required("kind");
  expect(at.errors.map(({ field }) => field)).toEqual([
    "spec.ports[2].name",
    "data[a.b]",
    "[0]",
    "kind",
  ]);
});

test("At: several messages of one value are several errors", () => {
  const at = At.root();
  at.invalidEach("a", "x", ["one", "two"]);
  expect(at.errors).toEqual([
    { type: "FieldValueInvalid", field: "a", message: 'Invalid value: "x": one' },
    { type: "FieldValueInvalid", field: "a", message: 'Invalid value: "x": two' },
  ]);
});

test("At: options reach every place below", () => {
  const options = { old: {}, flags: { strict: true } };
  expect(At.root(options).child("a").index(1).key("b").options).toBe(options);
});
