import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { dynamicKind, type KubernetesObject } from "../../client/resource-kind.ts";
import { conversion } from "./conversion.ts";
import { respondToReview } from "./respond-to-review.ts";
import { webhook } from "./webhook.ts";
import { webhookEndpoints } from "./webhook-endpoints.ts";

interface Gauge extends KubernetesObject {
  readonly size: unknown;
}
const gaugeOf = (version: string) =>
  dynamicKind<Gauge>({
    group: "example.com",
    version,
    kind: "Gauge",
    plural: "gauges",
    scope: "Namespaced",
  });

const endpoints = webhookEndpoints([
  webhook({
    for: ConfigMap,
    default(draft, { isDryRun, operation }) {
      if (draft.data?.fault === "conflict") throw new StatusError("Conflict", "not now");
      if (draft.data?.fault === "bug") throw new Error("a bug");
      draft.data = { ...draft.data, isDryRun: `${isDryRun}`, operation };
    },
    validate({ data = {} }, { old, warn, user }) {
      warn(`hello ${user.username}`);
      if (data.fault === "text") return "it is wrong";
      if (data.fault === "field")
        return [{ type: "FieldValueInvalid", field: "data.a", message: 'Invalid value: "b": no' }];
      return old?.data?.fault === "none" ? [] : undefined;
    },
  }),
  webhook({
    for: gaugeOf("v1"),
    convert: [
      conversion({
        hub: gaugeOf("v1"),
        version: gaugeOf("v1beta1"),
        toHub: ({ size }) => ({ size: Number(size) }),
        fromHub: ({ size }) => ({ size: String(size), metadata: { labels: { from: "hub" } } }),
      }),
      conversion({
        hub: gaugeOf("v1"),
        version: gaugeOf("v1alpha1"),
        toHub: ({ size }) => ({ size }),
        fromHub: ({ size }) => ({ size }),
      }),
    ],
  }),
]);

/** The parsed response of a path to a review. */
async function respond(path: string, review: object | string) {
  const endpoint = endpoints.get(path);
  if (!endpoint) throw new Error(`${path} is none of ${[...endpoints.keys()].join(" ")}`);
  const faults: unknown[] = [];
  const text = typeof review === "string" ? review : JSON.stringify(review);
  const body = await respondToReview(endpoint, text, (error) => faults.push(error));
  return { ...JSON.parse(body), faults: faults.map(String) };
}

const admission = (object: unknown, more: object = {}) => ({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: {
    uid: "1",
    kind: { group: "", version: "v1", kind: "ConfigMap" },
    name: "a",
    operation: "CREATE",
    userInfo: { username: "eve" },
    object,
    oldObject: null,
    ...more,
  },
});
const withFault = (fault: string) => ({ metadata: { name: "a" }, data: { fault } });

test("a mutation is the JSON patch of what the function changed", async () => {
  const { response, ...review } = await respond(
    "/mutate-v1-configmap",
    admission({ metadata: { name: "a" } }, { dryRun: true }),
  );
  expect(review).toEqual({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    faults: [],
  });
  const { patch, ...rest } = response;
  expect(rest).toEqual({ uid: "1", allowed: true, patchType: "JSONPatch" });
  expect(JSON.parse(atob(patch))).toEqual([
    { op: "add", path: "/data", value: { isDryRun: "true", operation: "CREATE" } },
  ]);
  const same = { data: { isDryRun: "false", operation: "CREATE" } };
  const unchanged = await respond("/mutate-v1-configmap", admission(same));
  expect(unchanged.response).toEqual({ uid: "1", allowed: true });
});

each<[what: string, path: string, review: object, response: object, faults?: string[]]>([
  [
    "allows, with a warning",
    "/validate-v1-configmap",
    admission(withFault("")),
    { allowed: true, warnings: ["hello eve"] },
  ],
  [
    "compares with the object before",
    "/validate-v1-configmap",
    admission(withFault(""), { operation: "UPDATE", oldObject: withFault("none") }),
    { allowed: true, warnings: ["hello eve"] },
  ],
  [
    "denies with a text",
    "/validate-v1-configmap",
    admission(withFault("text")),
    {
      allowed: false,
      status: { message: "it is wrong", reason: "Forbidden", code: 403 },
      warnings: ["hello eve"],
    },
  ],
  [
    "denies with errors of fields",
    "/validate-v1-configmap",
    admission(withFault("field")),
    {
      allowed: false,
      status: {
        message: 'ConfigMap "a" is invalid: data.a: Invalid value: "b": no',
        reason: "Invalid",
        code: 422,
        details: { causes: [{ field: "data.a", reason: "FieldValueInvalid" }] },
      },
    },
  ],
  [
    "denies with the error that is thrown",
    "/mutate-v1-configmap",
    admission(withFault("conflict")),
    { allowed: false, status: { message: "not now", reason: "Conflict", code: 409 } },
  ],
  [
    "denies where the function fails",
    "/mutate-v1-configmap",
    admission(withFault("bug")),
    { allowed: false, status: { message: "Internal error occurred: a bug", code: 500 } },
    ["Error: a bug"],
  ],
  [
    "rejects a review without its object",
    "/validate-v1-configmap",
    admission(null),
    { allowed: false, status: { message: "the request has no object for the webhook", code: 400 } },
  ],
  [
    "rejects operations that it is not for",
    "/mutate-v1-configmap",
    admission({}, { operation: "CONNECT" }),
    { allowed: false, status: { code: 400 } },
  ],
])("a webhook %s", async (_, path, review, response, faults = []) => {
  expect(await respond(path, review)).toMatchObject({
    response: { uid: "1", ...response },
    faults,
  });
});

const conversionTo = (version: string, objects: readonly object[]) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "ConversionReview",
  request: { uid: "2", desiredAPIVersion: `example.com/${version}`, objects },
});
const gauge = (version: string, size: unknown, metadata: object = { name: "a" }) => ({
  apiVersion: `example.com/${version}`,
  kind: "Gauge",
  metadata,
  size,
});

test("objects are converted through the hub, and keep their metadata", async () => {
  const metadata = { name: "a", uid: "u", labels: { a: "b" }, annotations: { c: "d" } };
  const review = conversionTo("v1beta1", [
    gauge("v1", 1, metadata),
    gauge("v1beta1", "2"),
    gauge("v1alpha1", 3, metadata),
  ]);
  const { response } = await respond("/convert-example-com-gauge", review);
  const labelled = { ...metadata, labels: { from: "hub" } };
  expect(response).toEqual({
    uid: "2",
    result: { status: "Success" },
    convertedObjects: [
      gauge("v1beta1", "1", labelled),
      gauge("v1beta1", "2"),
      gauge("v1beta1", "3", labelled),
    ],
  });
});

test("integers beyond 2^53 pass through a conversion", async () => {
  const endpoint = endpoints.get("/convert-example-com-gauge");
  if (!endpoint) throw new Error("no endpoint");
  const text = JSON.stringify(conversionTo("v1", [gauge("v1alpha1", "BIG")]));
  const body = await respondToReview(endpoint, text.replace('"BIG"', "9007199254740993"), () => {});
  expect(body).toContain('"size":9007199254740993');
});

test("a version that is not known fails the conversion", async () => {
  const review = conversionTo("v2", [gauge("v1", 1)]);
  expect(await respond("/convert-example-com-gauge", review)).toMatchObject({
    response: {
      uid: "2",
      result: { status: "Failure", message: 'Gauge has no version "example.com/v2"' },
    },
    faults: ['Error: Gauge has no version "example.com/v2"'],
  });
});

each<[what: string, review: object | string, message: string]>([
  ["no JSON", "{", "the review is no JSON: "],
  ["no object", "[]", "the review is no JSON object"],
  [
    "another kind",
    conversionTo("v1", []),
    "this is the webhook of AdmissionReview of admission.k8s.io/v1, not of ConversionReview of apiextensions.k8s.io/v1",
  ],
  ["no request", { ...admission({}), request: {} }, "the review has no request with a uid"],
])("a review is rejected: %s", async (_, review, message) => {
  await expect(respond("/validate-v1-configmap", review)).rejects.toThrow(message);
});

test("two webhooks of one kind are an error", () => {
  const one = webhook({ for: ConfigMap, validate: () => undefined });
  expect(() => webhookEndpoints([one, one])).toThrow(
    "there are two webhooks for /validate-v1-configmap",
  );
});
