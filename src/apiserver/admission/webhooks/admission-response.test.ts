import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { admissionResponse, type SentReview } from "./admission-response.ts";

const sent: SentReview = { uid: "u", version: "v1", isMutating: true };
const review = (response: object | undefined, more: object = {}): string =>
  JSON.stringify({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    response: response && { uid: "u", allowed: true, ...response },
    ...more,
  });
const patch = btoa("[]");

test("admissionResponse: all that a webhook can say", () => {
  const more = { warnings: ["w"], auditAnnotations: { a: "b" }, patch, patchType: "JSONPatch" };
  const status = { metadata: {}, code: 403, message: "no" };
  expect(admissionResponse(review({ ...more, status }), sent)).toEqual({
    uid: "u",
    allowed: true,
    ...more,
    status,
  });
});

test("admissionResponse: YAML is read, too", () => {
  const text =
    "apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nresponse: {uid: u, allowed: true}\n";
  expect(admissionResponse(text, sent)).toEqual({ uid: "u", allowed: true });
});

each<[what: string, text: string, change: Partial<SentReview>, expected: object]>([
  [
    "a patch has no type",
    JSON.stringify({ response: { patch } }),
    {},
    { patch, patchType: "JSONPatch" },
  ],
  [
    "a patch has another type",
    JSON.stringify({ response: { uid: "x", patch, patchType: "Merge" } }),
    {},
    { patchType: "JSONPatch" },
  ],
  [
    "a validating webhook has a patch",
    JSON.stringify({ response: { patch, patchType: "JSONPatch" } }),
    { isMutating: false },
    { allowed: false, uid: "" },
  ],
])("admissionResponse: in v1beta1 it does not matter that %s", (_, text, change, expected) => {
  const response = admissionResponse(text, { ...sent, version: "v1beta1", ...change });
  expect(response).toMatchObject(expected);
  if (change.isMutating === false) expect(response).not.toHaveProperty("patch");
});

const received = "received invalid webhook response:";
const called = "failed to call webhook:";
each<[what: string, text: string, change: Partial<SentReview>, message: string]>([
  ["no response", review(undefined), {}, `${received} webhook response was absent`],
  ["another uid", review({ uid: "x" }), {}, `${received} expected response.uid="u", got "x"`],
  [
    "no version",
    review({}, { apiVersion: undefined }),
    {},
    `${received} expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=AdmissionReview`,
  ],
  [
    "another version",
    review({}, { apiVersion: "admission.k8s.io/v1beta1" }),
    {},
    `${called} converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion`,
  ],
  [
    "a patch without a type",
    review({ patch }),
    {},
    `${received} webhook returned response.patch but not response.patchType`,
  ],
  [
    "a type without a patch",
    review({ patchType: "JSONPatch" }),
    {},
    `${received} webhook returned response.patchType but not response.patch`,
  ],
  [
    "an empty type",
    review({ patch, patchType: "" }),
    {},
    `${received} webhook returned invalid response.patchType of ""`,
  ],
  [
    "a patch of a validating webhook",
    review({ patch }),
    { isMutating: false },
    `${received} validating webhook may not return response.patch`,
  ],
  [
    "the type of a patch of a validating webhook",
    review({ patchType: "JSONPatch" }),
    { isMutating: false },
    `${received} validating webhook may not return response.patchType`,
  ],
  [
    "a number where there should be a text",
    review({ uid: 1 }),
    {},
    `${called} json: cannot unmarshal number into Go struct field AdmissionResponse.response.uid of type types.UID`,
  ],
  [
    "half a review",
    review({}).slice(0, 20),
    {},
    `${called} couldn't get version/kind; json parse error: unexpected end of JSON input`,
  ],
])("admissionResponse: %s is an error", (_, text, change, message) => {
  expect(() => admissionResponse(text, { ...sent, ...change })).toThrow(
    expect.objectContaining({ name: "WebhookFailure", message, code: 503 }),
  );
});
