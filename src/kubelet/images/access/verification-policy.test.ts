import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { needsVerification } from "./verification-policy.ts";

const allowlist = ["quay.io/team/*", "registry.test:5000/app", "busybox"];

each<[name: string, image: string, preloaded: boolean, pulled: boolean]>([
  ["NeverVerify", "app", false, false],
  ["NeverVerifyPreloadedImages", "app", false, true],
  ["AlwaysVerify", "app", true, true],
  ["NeverVerifyAllowlistedImages", "quay.io/team/app:1", false, false],
  ["NeverVerifyAllowlistedImages", "quay.io/team", true, true],
  ["NeverVerifyAllowlistedImages", "quay.io/teams/app", true, true],
  ["NeverVerifyAllowlistedImages", "registry.test:5000/app:2", false, false],
  [
    "NeverVerifyAllowlistedImages",
    `registry.test:5000/app:2@sha256:${"a".repeat(64)}`,
    false,
    false,
  ],
  ["NeverVerifyAllowlistedImages", "registry.test:5000/app/other", true, true],
  ["NeverVerifyAllowlistedImages", "busybox", false, false],
  ["NeverVerifyAllowlistedImages", "docker.io/library/busybox", true, true],
  ["a policy of a later version", "app", true, true],
])("needsVerification: %s of %s", (name, image, preloaded, pulled) => {
  const needs = (isPreloaded: boolean) =>
    needsVerification({ name, allowlist }, { image, isPreloaded });
  expect([needs(true), needs(false)]).toEqual([preloaded, pulled]);
});
