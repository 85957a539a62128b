import { expect, test } from "vitest";
import { type DeletionPlan, deletionPlan } from "./deletion-plan.ts";

const refs = (...uids: string[]) =>
  uids.map((uid) => ({ apiVersion: "v1", kind: "ConfigMap", name: uid, uid }));
const calm = { isDeletingDependents: false };
const going = { isDeletingDependents: true };
const remove = (policy: "Orphan" | "Foreground" | "Background", unblock = false): DeletionPlan => ({
  type: "delete",
  policy,
  unblock,
});

test.each<{
  name: string;
  solid?: string[];
  dangling?: string[];
  waiting?: string[];
  finalizers?: string[];
  dependents?: { isDeletingDependents: boolean }[];
  plan: DeletionPlan;
}>([
  { name: "one owner that is there is enough", solid: ["a"], plan: { type: "keep" } },
  {
    name: "who is kept forgets owners that are gone, or about to go",
    solid: ["a"],
    dangling: ["b"],
    waiting: ["c"],
    plan: { type: "release", owners: ["b", "c"] },
  },
  { name: "who has no owner left goes", dangling: ["a"], plan: remove("Background") },
  {
    name: "who has no dependents goes in the background, also where an owner waits",
    waiting: ["a"],
    plan: remove("Background"),
  },
  {
    name: "who has dependents and an owner that waits goes in the foreground",
    dangling: ["b"],
    waiting: ["a"],
    dependents: [calm],
    plan: remove("Foreground"),
  },
  {
    name: "who may be in a circle must not block it",
    waiting: ["a"],
    dependents: [calm, going],
    plan: remove("Foreground", true),
  },
  {
    name: "dependents alone are no reason for the foreground",
    dangling: ["a"],
    dependents: [going],
    plan: remove("Background"),
  },
  {
    name: "that it is to orphan is respected",
    dangling: ["a"],
    finalizers: ["orphan"],
    plan: remove("Orphan"),
  },
  {
    name: "so is the foreground",
    dangling: ["a"],
    finalizers: ["example.com/x", "foregroundDeletion"],
    plan: remove("Foreground"),
  },
])(
  "$name",
  ({ solid = [], dangling = [], waiting = [], finalizers = [], dependents = [], plan }) => {
    const owners = {
      solid: refs(...solid),
      dangling: refs(...dangling),
      waiting: refs(...waiting),
    };
    expect(deletionPlan({ owners, finalizers, dependents })).toEqual(plan);
  },
);
