import { expect, test } from "vitest";
import { parsePath, type ResourcePath } from "./request-info.ts";

const nothing: ResourcePath = {
  group: "",
  version: "v1",
  namespace: "",
  resource: "",
  name: "",
  subresource: "",
  rest: [],
  watch: false,
};

test.each([
  ["/api/v1/pods", { resource: "pods" }],
  ["/api/v1/namespaces/d/pods", { namespace: "d", resource: "pods" }],
  ["/api/v1/namespaces/d/pods/p", { namespace: "d", resource: "pods", name: "p" }],
  [
    "/api/v1/namespaces/d/pods/p/status",
    { namespace: "d", resource: "pods", name: "p", subresource: "status" },
  ],
  [
    "/api/v1/namespaces/d/pods/p/proxy/a/b",
    { namespace: "d", resource: "pods", name: "p", subresource: "proxy", rest: ["a", "b"] },
  ],
  ["/api/v1/nodes/n", { resource: "nodes", name: "n" }],
  ["/api/v1/namespaces", { resource: "namespaces" }],
  ["/api/v1/namespaces/d", { namespace: "d", resource: "namespaces", name: "d" }],
  [
    "/api/v1/namespaces/d/status",
    { namespace: "d", resource: "namespaces", name: "d", subresource: "status" },
  ],
  [
    "/api/v1/namespaces/d/finalize",
    { namespace: "d", resource: "namespaces", name: "d", subresource: "finalize" },
  ],
  ["/apis/apps/v1/deployments", { group: "apps", resource: "deployments" }],
  [
    "/apis/apps/v1/namespaces/d/deployments/x/scale",
    { group: "apps", namespace: "d", resource: "deployments", name: "x", subresource: "scale" },
  ],
  ["/api/v1/watch/pods", { resource: "pods", watch: true }],
  [
    "/api/v1/watch/namespaces/d/pods/p",
    { namespace: "d", resource: "pods", name: "p", watch: true },
  ],
  ["/api/v1/watch", { resource: "watch" }],
  ["//api//v1///pods/", { resource: "pods" }],
  ["/api/v1/pods/a%20b", { resource: "pods", name: "a b" }],
  ["/api/v1/pods/a%2Fb", { resource: "pods", name: "a", subresource: "b" }],
  ["/api/v1/pods/%ff%c3%A9", { resource: "pods", name: "\ufffd\u00e9" }],
  ["/api/v1/pods/..", { resource: "pods", name: ".." }],
])("parsePath: %s is a resource", (path, parts) => {
  expect(parsePath(path)).toEqual({ type: "resource", resource: { ...nothing, ...parts } });
});

test.each([
  "/",
  "/api",
  "/api/",
  "/api/v1",
  "/apis",
  "/apis/apps",
  "/apis/apps/v1",
  "/healthz",
  "/apix/v1/pods",
])("parsePath: %s is no resource", (path) => {
  expect(parsePath(path)).toEqual({ type: "other", path });
});

test.each(["/api/v1/pods/%", "/api/v1/pods/%zz", "/%f"])(
  "parsePath: %s cannot be decoded",
  (path) => {
    expect(parsePath(path)).toEqual(undefined);
  },
);
