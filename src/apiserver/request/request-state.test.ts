import { expect, test } from "vitest";
import { toApiRequest } from "../in-process.test-support.ts";
import { RequestState } from "./request-state.ts";

test.each([
  ["GET", "/api/v1/pods", false],
  ["GET", "/api/v1/pods?watch=true", true],
  ["GET", "/api/v1/pods?watch=0", false],
  ["GET", "/api/v1/namespaces/a/pods/b?watch=true", false],
  ["GET", "/api/v1/watch/pods", true],
  ["POST", "/api/v1/namespaces/a/pods?watch=true", false],
  ["GET", "/api/v1/namespaces/a/pods/b/log", true],
  ["POST", "/api/v1/namespaces/a/pods/b/exec", true],
  ["GET", "/api/v1/namespaces/a/pods/b/attach", true],
  ["GET", "/api/v1/namespaces/a/pods/b/portforward", true],
  ["PUT", "/api/v1/namespaces/a/services/b/proxy/x/y", true],
  ["GET", "/api/v1/proxy/nodes/a", true],
  ["GET", "/api/v1/namespaces/a/pods/b/status", false],
  ["GET", "/debug/pprof/profile", true],
  ["GET", "/healthz", false],
  ["GET", "/api/v1/%zz?watch=1", false],
  ["GET", "/debug/pprof/%zz", false],
])("RequestState: %s %s is long-running: %s", (method, path, wanted) => {
  const state = new RequestState(toApiRequest({ method, path }), () => 0);
  expect(state.isLongRunning).toEqual(wanted);
});

test("RequestState: the caller is not known before authentication", () => {
  const state = new RequestState(toApiRequest({ path: "/version" }), () => 0);
  expect(() => state.attributes).toThrow("the request is not authenticated");
});
