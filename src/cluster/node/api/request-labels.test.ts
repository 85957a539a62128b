import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { requestLabels, type ServerType } from "./request-labels.ts";

each<[method: string, path: string, type: ServerType, label: string, isLong: string]>([
  ["GET", "/pods", "readwrite", "pods", "false"],
  ["GET", "/metrics", "readwrite", "metrics", "false"],
  ["GET", "/metrics/cadvisor", "readonly", "metrics/cadvisor", "false"],
  ["GET", "/metrics/other", "readwrite", "other", "false"],
  ["POST", "/exec/a/b/c", "readwrite", "exec", "true"],
  ["GET", "/attach/a/b/c", "readwrite", "attach", "true"],
  ["GET", "/portForward/a/b", "readwrite", "portForward", "false"],
  ["GET", "/debug/pprof/heap", "readwrite", "debug", "true"],
  ["GET", "/debug/pprof/heap", "readonly", "other", "false"],
  ["GET", "/configz", "readwrite", "configz", "false"],
  ["GET", "/configz", "readonly", "other", "false"],
  ["GET", "/", "readwrite", "other", "false"],
  ["BREW", "/pods", "readwrite", "pods", "false"],
])("requestLabels: %s %s of the %s server", (method, path, type, label, isLong) => {
  const known = method === "BREW" ? "other" : method;
  expect(requestLabels(method, path, type)).toEqual([known, label, type, isLong]);
});
