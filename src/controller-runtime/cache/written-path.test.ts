import { expect, test } from "vitest";
import { Deployment } from "../../api/apps/v1/deployment.ts";
import { Namespace } from "../../api/core/v1/namespace.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { resourcePath } from "../../client/resource-path.ts";
import { writtenPath } from "./written-path.ts";

test.each([
  [Pod, {}],
  [Pod, { namespace: "a" }],
  [Pod, { namespace: "a", name: "p" }],
  [Pod, { namespace: "a", name: "p", subresource: "eviction" }],
  [Pod, { namespace: "a", name: "p", subresource: "proxy/healthz" }],
  [Pod, { namespace: "a", name: "system:x é" }],
  [Deployment, { namespace: "a", name: "web", subresource: "scale" }],
  [Namespace, {}],
  [Namespace, { name: "a" }],
  [Namespace, { name: "a", subresource: "status" }],
  [Namespace, { name: "a", subresource: "finalize" }],
] as const)("a path names again what it was made from: %#", (kind, parts) => {
  const { group, version, plural } = kind;
  expect(writtenPath(resourcePath(kind, parts))).toEqual({ group, version, plural, ...parts });
});

test.each([
  "",
  "/",
  "/api",
  "/api/v1",
  "/apis/apps",
  "/apis/apps/v1",
  "/healthz",
  "/version",
  "api/v1/pods",
])("a path that names no objects: %j", (path) => {
  expect(writtenPath(path)).toBeUndefined();
});
