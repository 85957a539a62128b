import { expect, test } from "vitest";
import type { StatefulSet } from "../../api/apps/v1/stateful-set.ts";
import { isClaimStale, planClaimOwners } from "./claim-owners.ts";

const set = (whenDeleted: string, whenScaled: string): StatefulSet =>
  ({
    metadata: { name: "web", uid: "s" },
    spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } },
  }) as never;

const reference = (apiVersion: string, kind: string, name: string) => (uid: string) => ({
  apiVersion,
  kind,
  name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
});
const bySet = reference("apps/v1", "StatefulSet", "web");
const byPod = reference("v1", "Pod", "web-0");
const byOther = reference("v1", "ConfigMap", "other")("o");
const { controller: _, ...notController } = bySet("s");

const keep = "Retain";
const drop = "Delete";

test.each<[string, [string, string], boolean, object[], object[] | undefined]>([
  ["a retained claim has no owner", [keep, keep], true, [], undefined],
  ["a claim that is retained now loses its owners", [keep, keep], true, [bySet("s")], []],
  ["a claim that goes with the set is owned by it", [drop, keep], true, [], [bySet("s")]],
  ["a claim that has its owner is left alone", [drop, keep], true, [bySet("s")], undefined],
  ["an owner becomes the controller", [drop, keep], true, [notController], [bySet("s")]],
  ["a wanted replica does not own its claim", [keep, drop], true, [], undefined],
  ["one that is not wanted does", [keep, drop], false, [], [byPod("p")]],
  ["the pod replaces the set", [drop, drop], false, [bySet("s")], [byPod("p")]],
  ["the set replaces the pod", [drop, drop], true, [byPod("p")], [bySet("s")]],
  ["the set stays if only it matters", [drop, keep], false, [bySet("s")], undefined],
  ["a former set is left to the garbage collector", [drop, drop], true, [bySet("x")], undefined],
  ["so is a former pod", [drop, drop], true, [byPod("x")], undefined],
  ["other owners stay", [keep, keep], true, [byOther, bySet("s")], [byOther]],
])("planClaimOwners: %s", (_name, [whenDeleted, whenScaled], isWanted, references, expected) => {
  const plan = planClaimOwners({
    references: references as never,
    set: set(whenDeleted, whenScaled),
    pod: { name: "web-0", uid: "p" },
    isWanted,
  });
  expect(plan).toEqual({ references: expected, isConflicting: false });
});

test.each<[object[], object[] | undefined]>([
  [[byOther], undefined],
  [[byOther, bySet("s")], [byOther]],
])("planClaimOwners: another controller prevails", (references, expected) => {
  const plan = planClaimOwners({
    references: references as never,
    set: set(drop, keep),
    pod: { name: "web-0", uid: "p" },
    isWanted: true,
  });
  expect(plan).toEqual({ references: expected, isConflicting: true });
});

test.each<[string, string, boolean]>([
  ["a claim of a former pod is stale if claims go with pods", drop, true],
  ["a retained claim is not", keep, false],
])("isClaimStale: %s", (_name, whenScaled, expected) => {
  expect(isClaimStale([byPod("x")], set(keep, whenScaled), "web-0")).toBe(expected);
});
