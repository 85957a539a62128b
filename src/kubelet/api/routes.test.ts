import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { findRoute } from "./routes.ts";

const container = { namespace: "a", pod: "b", container: "c" };
const settings = { debugging: true, systemLogs: true, profiling: true, debugFlags: true };

each<[request: string, name: string, params: object]>([
  ["GET /pods", "pods", {}],
  ["GET /pods/", "pods", {}],
  ["GET /runningpods/", "runningpods", {}],
  ["GET /stats/summary", "stats/summary", {}],
  ["POST /stats/summary", "stats/summary", {}],
  ["GET /logs/", "logs", {}],
  ["GET /logs/a/b.log", "logs", { "*": "a/b.log" }],
  ["POST /run/a/b/c", "run", container],
  ["POST /run/a/b/u/c", "run", { ...container, uid: "u" }],
  ["GET /exec/a/b/c", "exec", container],
  ["POST /exec/a/b/u/c", "exec", { ...container, uid: "u" }],
  ["POST /attach/a/b/c", "attach", container],
  ["GET /portForward/a/b", "portForward", { namespace: "a", pod: "b" }],
  ["POST /portForward/a/b/u", "portForward", { namespace: "a", pod: "b", uid: "u" }],
  ["GET /containerLogs/a/b/c", "containerLogs", container],
  ["POST /checkpoint/a/b/c", "checkpoint", container],
  ["GET /healthz", "healthz", {}],
  ["HEAD /healthz/syncloop", "healthz", {}],
  ["GET /metrics", "metrics", {}],
  ["POST /metrics/cadvisor", "metrics/cadvisor", {}],
  ["GET /metrics/probes", "metrics/probes", {}],
  ["GET /metrics/resource", "metrics/resource", {}],
  ["GET /metrics/slis", "metrics/slis", {}],
  ["GET /configz", "configz", {}],
  ["GET /flagz", "flagz", {}],
  ["GET /statusz", "statusz", {}],
  ["GET /debug/pprof/heap", "debug/pprof", {}],
  ["PUT /debug/flags/v", "debug/flags/v", {}],
])("findRoute: %s", (request, name, params) => {
  const [method = "", path = ""] = request.split(" ");
  expect(findRoute({ method, path }, settings)).toEqual({ name, params });
});

const disabled = "Debug endpoints are disabled.\n";
each<[request: string, settings: string, status: number, text: string]>([
  ["GET /", "all", 404, "404 page not found\n"],
  ["GET /livez", "all", 404, "404 page not found\n"],
  ["GET /readyz", "all", 404, "404 page not found\n"],
  ["GET /metrics/", "all", 404, "404 page not found\n"],
  ["GET /healthz/other", "all", 404, "404 page not found\n"],
  ["GET /exec/a/b", "all", 404, "404: Page Not Found"],
  ["GET /stats/container", "all", 404, "404: Page Not Found"],
  ["DELETE /pods", "all", 405, "405: Method Not Allowed"],
  ["HEAD /pods", "all", 405, "405: Method Not Allowed"],
  ["GET /run/a/b/c", "all", 405, "405: Method Not Allowed"],
  ["GET /checkpoint/a/b/c", "all", 405, "405: Method Not Allowed"],
  ["GET /debug/pprof/heap", "no profiles", 405, "profiling endpoint is disabled.\n"],
  ["PUT /debug/flags/v", "no profiles", 405, "flags endpoint is disabled.\n"],
  ["GET /logs/a", "no logs", 405, "logs endpoint is disabled.\n"],
  ["GET /exec/a/b/c", "no debugging", 405, disabled],
  ["POST /run/a/b/c", "no debugging", 405, disabled],
  ["GET /attach/a/b/c", "no debugging", 405, disabled],
  ["GET /portForward/a/b", "no debugging", 405, disabled],
  ["GET /containerLogs/a/b/c", "no debugging", 405, disabled],
  ["GET /runningpods/", "no debugging", 405, disabled],
  ["GET /debug/pprof/", "no debugging", 405, disabled],
  ["GET /logs/a", "no debugging", 405, disabled],
  ["POST /checkpoint/a/b/c", "no debugging", 404, "404 page not found\n"],
  ["GET /configz", "no debugging", 404, "404 page not found\n"],
  ["GET /flagz", "no debugging", 404, "404 page not found\n"],
  ["GET /debug/flags/v", "no debugging", 404, "404 page not found\n"],
])("findRoute: %s with %s is rejected", (request, which, status, text) => {
  const [method = "", path = ""] = request.split(" ");
  const isAll = which === "all";
  const debugging = which !== "no debugging";
  const given = { debugging, systemLogs: isAll, profiling: isAll, debugFlags: isAll };
  expect(findRoute({ method, path }, given)).toMatchObject({ status, body: text });
});

each<[path: string, allow: string]>([
  ["/pods", "GET"],
  ["/exec/a/b/c", "GET, POST"],
])("findRoute: the methods of %s are named", (path, allow) => {
  expect(findRoute({ method: "PUT", path }, settings)).toMatchObject({ headers: { allow } });
});
