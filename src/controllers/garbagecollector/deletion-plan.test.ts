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
    name: "references to absent and waiting owners are removed from an object that is kept",
    solid: ["a"],
    dangling: ["b"],
    waiting: ["c"],
    plan: { type: "release", owners: ["b", "c"] },
  },
  { name: "an object without owners left is deleted", dangling: ["a"], plan: remove("Background") },
  {
    name: "an object without dependents is deleted in the background",
    waiting: ["a"],
    plan: remove("Background"),
  },
  {
    name: "an object with dependents and a waiting owner is deleted in the foreground",
    dangling: ["b"],
    waiting: ["a"],
    dependents: [calm],
    plan: remove("Foreground"),
  },
  {
    name: "an object that may be in a cycle must not block it",
    waiting: ["a"],
    dependents: [calm, going],
    plan: remove("Foreground", true),
  },
  {
    name: "dependents alone do not cause a foreground deletion",
    dangling: ["a"],
    dependents: [going],
    plan: remove("Background"),
  },
  {
    name: "the orphan finalizer is respected",
    dangling: ["a"],
    finalizers: ["orphan"],
    plan: remove("Orphan"),
  },
  {
    name: "a foreground deletion begins with the deletion",
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
