import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { Deployment } from "./deployment.ts";
import { createFaults, read, template } from "./workload.test-support.ts";

const annotation = "deprecated.deployment.rollback.to";
const given = (revision: string) => ({
  metadata: { annotations: { a: "b", [annotation]: revision } },
  spec: { selector: { matchLabels: { app: "a" } }, template: template() },
});
function taken(revision: string): Record<string, string> | undefined {
  const object = read(Deployment, given(revision));
  Deployment.strategy.afterDecode?.(object as never);
  return object.metadata.annotations;
}

each<[rule: string, given: string, kept: object]>([
  ["a number stays", "7", { [annotation]: "7" }],
  ["it is written as numbers are", "+007", { [annotation]: "7" }],
  ["the last one is 0", "0", { [annotation]: "0" }],
  ["none is asked for by nothing", "", {}],
])("the revision that a Deployment is to go back to: %s", (_, revision, kept) => {
  expect(taken(revision)).toEqual({ a: "b", ...kept });
});

each<[rule: string, given: string, why: string]>([
  ["what is no number is refused", "x", "invalid syntax"],
  ["so is what is too large for one", "99999999999999999999", "value out of range"],
])("the revision that a Deployment is to go back to: %s", (_, revision, why) => {
  expect(() => taken(revision)).toThrow(
    `Deployment in version "v1" cannot be handled as a Deployment: failed to parse annotation[${annotation}]=${revision} as int64: strconv.ParseInt: parsing "${revision}": ${why}`,
  );
});

test("the revision that a Deployment is to go back to: it is not negative", () => {
  expect(createFaults(Deployment, given("-1"))).toEqual([
    "spec.rollback.version: Invalid value: -1: must be greater than or equal to 0",
  ]);
});
