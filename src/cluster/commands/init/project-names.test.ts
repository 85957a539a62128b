import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { projectNames } from "./project-names.ts";

const asked = { name: "my-operator", group: "example.com", kind: "Widget", plural: "" };

each<[kind: string, names: { plural: string; file: string; value: string }]>([
  ["Widget", { plural: "widgets", file: "widget", value: "widget" }],
  ["CronTab", { plural: "crontabs", file: "cron-tab", value: "cronTab" }],
  ["HTTPProxy", { plural: "httpproxies", file: "http-proxy", value: "httpProxy" }],
  ["Gateway", { plural: "gateways", file: "gateway", value: "gateway" }],
  ["S3Bucket", { plural: "s3buckets", file: "s3-bucket", value: "s3Bucket" }],
  ["Function", { plural: "functions", file: "function", value: "theFunction" }],
  ["Image", { plural: "images", file: "image", value: "theImage" }],
  ["Box", { plural: "boxes", file: "box", value: "box" }],
])("projectNames: %s", (kind, names) => {
  const { name, group } = asked;
  expect(projectNames({ ...asked, kind })).toEqual({ name, group, kind, ...names });
});

each<[change: Partial<typeof asked>, problem: string]>([
  [{ name: "My Operator" }, "the project's name must have"],
  [{ group: "example" }, "--group must be a domain"],
  [{ group: "widgets.k8s.io" }, "--group must be a domain"],
  [{ kind: "widget" }, "--kind must be a capital letter"],
  [{ kind: "Class-A" }, "--kind must be a capital letter"],
  [{ kind: "Deployment" }, "--kind=Deployment is the name of something else"],
  [{ plural: "Widgets" }, "--plural must have"],
])("projectNames: rejects %j", (change, problem) => {
  expect(projectNames({ ...asked, ...change })).toEqual([expect.stringContaining(problem)]);
});
