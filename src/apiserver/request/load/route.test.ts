import { expect, test } from "vitest";
import { toApiRequest } from "../../in-process.test-support.ts";
import { routeOf } from "./route.ts";

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
])("routeOf: %s %s: is it long-running? %s", (method, path, wanted) => {
  expect(routeOf(toApiRequest({ method, path }), () => 0).isLongRunning).toEqual(wanted);
});
