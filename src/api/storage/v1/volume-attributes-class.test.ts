import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { expectRecorded, recordedCases } from "../../recorded.test-support.ts";
import { createErrors, updateErrors } from "../storage-object.test-support.ts";
import { VolumeAttributesClass as BetaClass } from "../v1beta1/volume-attributes-class.ts";
import { VolumeAttributesClass } from "./volume-attributes-class.ts";

// Admission adds a finalizer.
for (const recorded of recordedCases("volumeattributesclasses"))
  test(`VolumeAttributesClass: ${recorded.name}`, () => {
    expect.hasAssertions();
    expectRecorded(VolumeAttributesClass as never, recorded, { without: ["metadata.finalizers"] });
  });

const gold = { driverName: "d.example.com", parameters: { iops: "5" } };

each<[rule: string, object: object, errors: readonly string[]]>([
  ["a driver and a parameter are enough", gold, []],
  [
    "both are asked for",
    {},
    [
      "driverName: Required value",
      "parameters: Required value: must contain at least one key/value pair",
    ],
  ],
  [
    "a parameter has a name",
    { ...gold, parameters: { "": "x" } },
    ['parameters: Invalid value: "": field can not be empty.'],
  ],
])("VolumeAttributesClass: %s", (_, object, errors) => {
  expect(createErrors(VolumeAttributesClass, object)).toEqual(errors);
});

test("VolumeAttributesClass: what changes is refused before what is missing", () => {
  expect(updateErrors(VolumeAttributesClass, { driverName: "other" }, gold)).toEqual([
    "driverName: Forbidden: updates to driverName are forbidden.",
    "parameters: Forbidden: updates to parameters are forbidden.",
    "parameters: Required value: must contain at least one key/value pair",
  ]);
});

test("VolumeAttributesClass: the beta is served on request and stored as v1", () => {
  const { stability, conversion } = BetaClass;
  const stored = conversion?.toStored({ ...gold, apiVersion: "storage.k8s.io/v1beta1" } as never);
  expect([stability, conversion?.stored, stored, conversion?.fromStored(stored as never)]).toEqual([
    "beta",
    VolumeAttributesClass,
    { ...gold, apiVersion: "storage.k8s.io/v1" },
    { ...gold, apiVersion: "storage.k8s.io/v1beta1" },
  ]);
});
