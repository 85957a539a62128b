import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { nodeAttributes } from "./node-attributes.ts";

each<[method: string, path: string, verb: string, ...subresources: string[]]>([
  ["GET", "/pods", "get", "pods", "proxy"],
  ["GET", "/pods/", "get", "pods", "proxy"],
  ["GET", "/podsx", "get", "proxy"],
  ["GET", "/runningpods/", "get", "pods", "proxy"],
  ["GET", "/healthz", "get", "healthz", "proxy"],
  ["GET", "/healthz/syncloop", "get", "healthz", "proxy"],
  ["GET", "/configz", "get", "configz", "proxy"],
  ["GET", "/flagz", "get", "configz"],
  ["GET", "/statusz", "get", "statusz"],
  ["GET", "/stats/summary", "get", "stats"],
  ["GET", "/stats", "get", "stats"],
  ["GET", "/metrics", "get", "metrics"],
  ["GET", "/metrics/cadvisor", "get", "metrics"],
  ["GET", "/metricsx", "get", "proxy"],
  ["GET", "/logs/", "get", "log"],
  ["GET", "/logs/syslog", "get", "log"],
  ["POST", "/checkpoint/a/b/c", "create", "checkpoint"],
  ["POST", "/exec/a/b/c", "create", "proxy"],
  ["GET", "/containerLogs/a/b/c", "get", "proxy"],
  ["GET", "/", "get", "proxy"],
  ["PUT", "/debug/flags/v", "update", "proxy"],
  ["PATCH", "/x", "patch", "proxy"],
  ["DELETE", "/metrics", "delete", "metrics"],
  ["HEAD", "/pods", "", "pods", "proxy"],
  ["OPTIONS", "/x", "", "proxy"],
])("nodeAttributes: %s %s", (method, path, verb, ...subresources) => {
  expect(nodeAttributes(method, path)).toEqual({ verb, subresources });
});
