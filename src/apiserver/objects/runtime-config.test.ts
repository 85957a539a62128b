import { expect, test } from "vitest";
import type { Kind } from "../../schema/language/kind.ts";
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
  ["a resource of the core group", { "api/v1/pods": "false", "api/legacy": "" }, ["jobs"]],
  ["a resource that does not exist", { "batch/v1/nopes": "true" }, ["pods", "jobs"]],
  ["a word without a value is switched on", { "batch/v1beta1": "" }, ["pods", "jobs", "cronjobs"]],
] as const)("runtime config: %s", (_, pairs, expected) => {
  expect(served(pairs)).toEqual(expected);
});

test.each([
  [{ "api/all": "false" }, "invalid runtime-config with only api/all=false"],
  [{ "api/beta": "1" }, "invalid value api/beta=1"],
  [{ batch: "true" }, "runtime-config invalid key batch"],
  [{ "a/b/c/d": "true" }, "runtime-config invalid key a/b/c/d"],
  [{ "y.io/v1": "true", "a.io/v1": "", v1: "true" }, "unknown api groups a.io/v1,y.io/v1"],
  [{ "batch/v7": "true" }, "group version batch/v7 that has not been registered"],
  [
    { "batch/v1/Jobs": "true" },
    'invalid key batch/v1/Jobs: group/version/resource and resource is always lowercase plural, not "Jobs"',
  ],
  [
    { "batch/v1": "maybe" },
    'invalid value of batch/v1: maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax',
  ],
] as const)("runtime config: %j is refused", (pairs, message) => {
  expect(() => served(pairs)).toThrow(new Error(message));
});
