import { expect, test } from "vitest";
import type { Kind } from "../schema/kind.ts";
import { parseRuntimeConfig, servedKinds } from "./runtime-config.ts";

const kind = (group: string, version: string, plural: string, stability: Kind["stability"]) =>
  ({ group, version, plural, stability }) as Kind;
const kinds = [
  kind("", "v1", "pods", "stable"),
  kind("batch", "v1", "jobs", "stable"),
  kind("batch", "v1beta1", "cronjobs", "beta"),
  kind("x.io", "v1alpha1", "things", "alpha"),
  kind("x.io", "v1alpha1", "others", "alpha"),
];
const served = (pairs: Record<string, string>) =>
  servedKinds(kinds, parseRuntimeConfig(pairs, kinds)).map(({ plural }) => plural);

test.each([
  ["only stable versions are served", {}, ["pods", "jobs"]],
  ["all betas", { "api/beta": "true" }, ["pods", "jobs", "cronjobs"]],
  ["everything", { "api/all": "true" }, ["pods", "jobs", "cronjobs", "things", "others"]],
  ["nothing but one version", { "api/all": "false", v1: "true" }, ["pods"]],
  ["a stable version switched off", { "batch/v1": "false" }, ["pods"]],
  ["one resource of an alpha", { "x.io/v1alpha1/things": "true" }, ["pods", "jobs", "things"]],
  [
    "a version but for one resource",
    { "x.io/v1alpha1": "true", "x.io/v1alpha1/things": "false" },
    ["pods", "jobs", "others"],
  ],
  ["a word without a value is switched on", { "batch/v1beta1": "" }, ["pods", "jobs", "cronjobs"]],
] as const)("runtime config: %s", (_, pairs, expected) => {
  expect(served(pairs)).toEqual(expected);
});

test("runtime config: a word that names nothing is refused, and a value that is none", () => {
  expect(() => served({ "batch/v7": "true" })).toThrow(/unknown API batch\/v7/);
  expect(() => served({ "batch/v1": "maybe" })).toThrow(/give true or false/);
});
