import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { parseJson } from "../../../schema/json/strict-json.ts";
import { convertedObject } from "./converted-object.ts";

const original = {
  apiVersion: "g/v1",
  kind: "K",
  metadata: { name: "n", namespace: "s", uid: "u", labels: { a: "1" }, finalizers: ["f/g"] },
};
const subject = "conversion webhook for g/v1, Kind=K";
const same = { name: "n", namespace: "s", uid: "u" };
const returned = (value: unknown) => {
  const text = JSON.stringify(value);
  return { node: parseJson(text), text };
};
const convert = (value: unknown) =>
  convertedObject(returned(value), { original, desiredVersion: "g/v2", subject });
const object = (metadata: unknown, more: object = {}) => ({
  apiVersion: "g/v2",
  kind: "K",
  metadata,
  ...more,
});

test("convertedObject: metadata stays, but for labels and annotations", () => {
  const metadata = { ...same, annotations: { b: "2" }, finalizers: [], generation: 9 };
  expect(convert(object(metadata, { spec: 1 }))).toEqual(
    object({ ...same, finalizers: ["f/g"], annotations: { b: "2" } }, { spec: 1 }),
  );
});

test("convertedObject: what was invalid before may stay", () => {
  const odd = { ...original, metadata: { ...same, labels: { "a b": "c" } } };
  const converting = { original: odd, desiredVersion: "g/v2", subject };
  const value = object({ ...same, labels: { "a b": "c" } });
  expect(convertedObject(returned(value), converting)).toEqual(value);
});

const differs = `${subject} returned invalid object at index 0:`;
const metadataIs = `${subject} returned invalid metadata:`;
each<[what: string, value: unknown, message: string]>([
  [
    "another version",
    { ...object(same), apiVersion: "g/v3" },
    `${differs} invalid groupVersion (expected g/v2, received g/v3)`,
  ],
  ["another kind", object(same, { kind: "L" }), `${differs} invalid kind (expected K, received L)`],
  ["no kind", { a: 1 }, `Object 'Kind' is missing in '{"a":1}'`],
  ["a text", "x", "json: cannot unmarshal string into Go value of type map[string]interface {}"],
  [
    "another name",
    object({ ...same, name: "m" }),
    `${subject} returned invalid object: must have the same name: n != m`,
  ],
  [
    "another namespace",
    object({ ...same, namespace: "t" }),
    `${subject} returned invalid object: must have the same namespace: s != t`,
  ],
  [
    "another uid",
    object({ ...same, uid: "v" }),
    `${subject} returned invalid object: must have the same UID: u != v`,
  ],
  [
    "no metadata",
    object(undefined),
    `${subject} returned invalid object: must have the same name: n != `,
  ],
  [
    "labels that are a list",
    object({ ...same, labels: [] }),
    `${metadataIs} invalid metadata.labels of type []interface {} in converted object`,
  ],
  [
    "a label that is a number",
    object({ ...same, labels: { a: 1 } }),
    `${metadataIs} metadata.labels[a] must be a string, but is int64 in converted object`,
  ],
  [
    "an invalid annotation",
    object({ ...same, annotations: { "/": "c" } }),
    `${metadataIs} [metadata.annotation: Invalid value: "/": prefix part must be non-empty, metadata.annotation: Invalid value: "/": name part must be non-empty, metadata.annotation: Invalid value: "/": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')]`,
  ],
])("convertedObject: %s cannot be used", (_, value, message) => {
  expect(() => convert(value)).toThrow(expect.objectContaining({ message }));
});

test("convertedObject: null is no object", () => {
  const converting = { original, desiredVersion: "g/v2", subject };
  expect(() => convertedObject({ node: undefined, text: "null" }, converting)).toThrow(
    "unexpected end of JSON input",
  );
});
