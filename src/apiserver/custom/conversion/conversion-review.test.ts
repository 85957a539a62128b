import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { conversionReview, returnedObjects } from "./conversion-review.ts";

const sent = { uid: "u", reviewVersion: "v1" };
const review = (response: unknown, more: object = {}): string =>
  JSON.stringify({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "ConversionReview",
    response,
    ...more,
  });
const success = { uid: "u", result: { status: "Success" }, convertedObjects: [{ kind: "K" }] };
const asked = "expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got ";

test("conversionReview: what upstream sends", () => {
  const objects = [{ apiVersion: "g/v1", kind: "K", size: 9007199254740993n }];
  expect(conversionReview({ ...sent, desiredVersion: "g/v2", objects })).toBe(
    '{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u","desiredAPIVersion":"g/v2","objects":[{"apiVersion":"g/v1","kind":"K","size":9007199254740993}]},"response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}}\n',
  );
});

test("returnedObjects: objects with their text", () => {
  const text = review(success);
  expect(returnedObjects(text, sent).map((object) => object.text)).toEqual(['{"kind":"K"}']);
});

test("returnedObjects: a v1beta1 review need not say what it answers", () => {
  const { uid: _, ...response } = success;
  const found = returnedObjects(JSON.stringify({ response }), {
    ...sent,
    reviewVersion: "v1beta1",
  });
  expect(found).toHaveLength(1);
});

each<[what: string, text: string, message: string]>([
  ["another uid", review({ ...success, uid: "x" }), 'expected response.uid="u", got "x"'],
  ["no response", review(undefined), "no response provided"],
  ["null", "null", `${asked}/, Kind=`],
  ["no kind", review(success, { kind: "" }), `${asked}apiextensions.k8s.io/v1, Kind=`],
  ["no version", review(success, { apiVersion: "" }), `${asked}/, Kind=ConversionReview`],
  ["no status", review({ ...success, result: {} }), "response.result.status was '', not 'Success'"],
  [
    "a failure",
    review({ ...success, result: { status: "Failure", message: "not today" } }),
    "not today",
  ],
  [
    "another version",
    review(success, { apiVersion: "apiextensions.k8s.io/v1beta1" }),
    "converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion",
  ],
  [
    "another kind",
    review(success, { kind: "Review" }),
    'no kind "Review" is registered for version "apiextensions.k8s.io/v1" in scheme "k8s.io/apiserver/pkg/util/webhook/client.go:71"',
  ],
  [
    "a Status",
    JSON.stringify({ apiVersion: "v1", kind: "Status" }),
    "converting (v1.Status) to (v1.ConversionReview): unknown conversion",
  ],
  [
    "half of it",
    '{"kind":"Conv',
    "couldn't get version/kind; json parse error: unexpected end of JSON input",
  ],
  [
    "a text",
    "hello",
    `couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
  ],
  [
    "a number as uid",
    review({ ...success, uid: 5 }),
    "json: cannot unmarshal number into Go struct field ConversionResponse.response.uid of type types.UID",
  ],
])("returnedObjects: %s is an error", (_, text, message) => {
  expect(() => returnedObjects(text, sent)).toThrow(expect.objectContaining({ message }));
});
