import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { Widget } from "../widget.test-support.ts";
import { checked, validate, withDefaults } from "./check-object.ts";

const metadata = { name: "a" };
/** What a server adds where an object is too wrong for rules. */
const unchecked =
  "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

test("withDefaults: fills in what is absent, and leaves the object as it is", () => {
  const given = Object.freeze({
    metadata,
    spec: { color: "red", ports: [{ name: "a", port: 1 }] },
  } as const);
  expect(withDefaults(Widget, given)).toEqual({
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "a", namespace: "default" },
    spec: { color: "red", size: 3, ports: [{ name: "a", port: 1, protocol: "TCP" }] },
  });
});

each<[title: string, spec: object, errors: readonly string[]]>([
  ["what is valid", { color: "red", size: 10 }, []],
  ["a required member", {}, ["spec.color: Required value", unchecked]],
  [
    "bounds",
    { color: "red", size: 11 },
    ["spec.size: Invalid value: 11: spec.size in body should be less than or equal to 10"],
  ],
  [
    "a value that is not one of them",
    { color: "blue" },
    ['spec.color: Unsupported value: "blue": supported values: "red", "green"', unchecked],
  ],
  [
    "a misspelled member",
    { color: "red", sise: 1 },
    ["spec.sise: Forbidden: the schema has no such member"],
  ],
  [
    "a repeated key",
    {
      color: "red",
      ports: [
        { name: "a", port: 1 },
        { name: "a", port: 2 },
      ],
    },
    ['spec.ports[1]: Duplicate value: {"name":"a"}'],
  ],
])("validate: %s", (_, spec, errors) => {
  const found = validate(Widget, { metadata, spec } as never);
  expect(found.map(({ field, message }) => `${field}: ${message}`)).toEqual(errors);
});

test("checked: throws the error of a server", () => {
  expect(() => checked(Widget, { metadata, spec: {} as never })).toThrow(
    'Widget.example.com "a" is invalid: [spec.color: Required value, ',
  );
  try {
    checked(Widget, { metadata, spec: {} as never });
  } catch (error) {
    expect(StatusError.is(error, "Invalid")).toBe(true);
  }
});
