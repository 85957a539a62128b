import { expect, test } from "vitest";
import { minorOf, policyOf } from "./policy.ts";

const labelled = (labels: Record<string, string>) =>
  policyOf(
    Object.fromEntries(
      Object.entries(labels).map(([mode, value]) => [`pod-security.kubernetes.io/${mode}`, value]),
    ),
  );
const none = { level: "privileged", version: "latest" };
const baseline = { level: "baseline", version: "latest" };

test.each([
  ["no labels", {}, { enforce: none, warn: none }],
  ["what is enforced is warned of", { enforce: "baseline" }, { enforce: baseline, warn: baseline }],
  [
    "and that in the same version",
    { enforce: "baseline", "enforce-version": "v1.20" },
    {
      enforce: { level: "baseline", version: "v1.20" },
      warn: { level: "baseline", version: "v1.20" },
    },
  ],
  [
    "unless another one is given",
    { enforce: "baseline", "enforce-version": "v1.20", "warn-version": "v1.30" },
    {
      enforce: { level: "baseline", version: "v1.20" },
      warn: { level: "baseline", version: "v1.30" },
    },
  ],
  [
    "or another level",
    { enforce: "baseline", warn: "privileged" },
    { enforce: baseline, warn: none },
  ],
  ["warnings alone", { warn: "baseline" }, { enforce: none, warn: baseline }],
])("policyOf: %s", (_, labels, policy) => {
  expect(labelled(labels as Record<string, string>)).toMatchObject({ policy, errors: [] });
});

test("policyOf: a level that is not known is the strictest to enforce, and none to warn of", () => {
  const { policy, errors } = labelled({ enforce: "x", audit: "y", warn: "z" });
  expect(policy).toMatchObject({ enforce: { level: "restricted", version: "latest" }, warn: none });
  const message = (value: string) =>
    `Invalid value: "${value}": must be one of privileged, baseline, restricted`;
  expect(errors.map(({ field, message: text }) => [field, text])).toEqual([
    ["metadata.labels[pod-security.kubernetes.io/enforce]", message("x")],
    ["metadata.labels[pod-security.kubernetes.io/audit]", message("y")],
    ["metadata.labels[pod-security.kubernetes.io/warn]", message("z")],
  ]);
});

test("policyOf: a version that is none is the latest", () => {
  const { policy, errors } = labelled({ enforce: "baseline", "enforce-version": "v1" });
  expect(policy).toMatchObject({ enforce: baseline, warn: baseline });
  expect(errors.map(({ message }) => message)).toEqual([
    'Invalid value: "v1": must be "latest" or "v1.x"',
  ]);
});

test.each([
  ["v1.0", 0],
  ["v1.35", 35],
  ["v1.100", 100],
  ["latest", undefined],
  ["v1.05", undefined],
  ["v2.1", undefined],
  ["1.30", undefined],
  ["v1.30\n", undefined],
  ["v1.9223372036854775808", undefined],
])("minorOf: %j", (version, minor) => {
  expect(minorOf(version)).toBe(minor);
});
