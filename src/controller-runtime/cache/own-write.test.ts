import { expect, test } from "vitest";
import type { TransportRequest } from "../../client/transport.ts";
import { writeCall } from "./own-write.ts";

const call = (
  method: TransportRequest["method"],
  path: string,
  { query = "", body }: { query?: string; body?: object } = {},
) => writeCall({ method, path, query, headers: {}, body });
const pods = "/api/v1/namespaces/default/pods";
const pod = (metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "default", uid: "u", resourceVersion: "7", ...metadata },
});
const success = { kind: "Status", status: "Success", details: { name: "p", uid: "u" } };
const refused = { kind: "Status", status: "Failure", reason: "Forbidden", code: 403 };
const base = { group: "", plural: "pods" };
const key = { namespace: "default", name: "p" };
const written = { ...base, type: "written", key, uid: "u", resourceVersion: "7" };
const deleted = { deletionTimestamp: "2026-01-01T00:00:00Z" };

test.each<[string, TransportRequest["method"], string, number, unknown, unknown]>([
  ["a creation", "POST", pods, 201, pod(), { ...written, verb: "create", object: pod() }],
  ["an update", "PUT", `${pods}/p`, 200, pod(), { ...written, verb: "update", object: pod() }],
  [
    "a status",
    "PATCH",
    `${pods}/p/status`,
    200,
    pod(),
    { ...written, verb: "patch/status", object: pod() },
  ],
  ["a refusal", "PUT", `${pods}/p`, 409, {}, undefined],
  ["a failure", "PUT", `${pods}/p`, 500, {}, { ...base, verb: "update", type: "unknown", ...key }],
  [
    "a deletion",
    "DELETE",
    `${pods}/p`,
    200,
    success,
    { ...base, verb: "delete", type: "gone", key, uid: "u" },
  ],
  [
    "a deletion that is refused",
    "DELETE",
    `${pods}/p`,
    409,
    { kind: "Status", status: "Failure", reason: "Conflict", details: { name: "p" } },
    undefined,
  ],
  [
    "a deletion answered with the object",
    "DELETE",
    `${pods}/p`,
    200,
    pod(deleted),
    { ...base, verb: "delete", type: "gone", key, uid: "u" },
  ],
  [
    "a deletion that waits for a finalizer",
    "DELETE",
    `${pods}/p`,
    200,
    pod({ ...deleted, finalizers: ["a/b"] }),
    { ...written, verb: "delete" },
  ],
  [
    "a deletion that waits for a while",
    "DELETE",
    `${pods}/p`,
    200,
    pod({ ...deleted, deletionGracePeriodSeconds: 30 }),
    { ...written, verb: "delete" },
  ],
  [
    "a deletion of what is not there",
    "DELETE",
    `${pods}/p`,
    404,
    {},
    { ...base, verb: "delete", type: "gone", key, uid: undefined },
  ],
  ["a rejected deletion", "DELETE", `${pods}/p`, 403, refused, undefined],
  ["an update of a missing object", "PUT", `${pods}/p`, 404, {}, undefined],
  [
    "many deletions",
    "DELETE",
    pods,
    200,
    { kind: "PodList", items: [] },
    { ...base, verb: "deletecollection", type: "unknown", namespace: "default" },
  ],
  [
    "an eviction",
    "POST",
    `${pods}/p/eviction`,
    201,
    success,
    { ...base, verb: "create/eviction", type: "unknown", ...key },
  ],
  [
    "a token",
    "POST",
    "/api/v1/namespaces/default/serviceaccounts/a/token",
    201,
    { kind: "TokenRequest", metadata: {} },
    undefined,
  ],
  [
    "a review",
    "POST",
    "/apis/authorization.k8s.io/v1/subjectaccessreviews",
    201,
    { kind: "SubjectAccessReview", metadata: {} },
    undefined,
  ],
])("%s", (_, method, path, status, answer, expected) => {
  const write = call(method, path)?.answered(status, answer);
  if (expected === undefined) expect(write).toBeUndefined();
  else expect(write).toMatchObject(expected as object);
});

test("the response of a subresource with its own kind has the version, but not the object", () => {
  const scale = { kind: "Scale", metadata: pod().metadata };
  const path = "/apis/apps/v1/namespaces/default/deployments/p/scale";
  expect(call("PUT", path)?.answered(200, scale)).toEqual({
    ...written,
    group: "apps",
    plural: "deployments",
    verb: "update/scale",
    object: undefined,
  });
});

test("a creation without a response is a write to its name, or to any name if it is generated", () => {
  const named = call("POST", pods, { body: pod() });
  expect(named?.unanswered()).toMatchObject({ type: "unknown", ...key });
  const generated = call("POST", pods, { body: { metadata: { generateName: "p-" } } });
  expect(generated?.unanswered()).toMatchObject({ type: "unknown", name: undefined });
});

test("reads and dry runs write nothing", () => {
  expect(call("GET", pods)).toBeUndefined();
  expect(call("POST", pods, { query: "dryRun=All" })).toBeUndefined();
  expect(call("POST", pods, { query: "fieldManager=a&dryRun=All&x=y" })).toBeUndefined();
  expect(call("POST", "/logs")).toBeUndefined();
});
