import { expect, test } from "vitest";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { condemnedToDelete, nextToUpdate, planReplica, podsToUpdate } from "./plan-replicas.ts";

const now = Date.parse("2026-01-01T00:01:00Z");
const rules = (isOrdered: boolean) => ({ isOrdered, minReadySeconds: 10, now });

interface Traits {
  readonly phase?: string;
  /** For how many seconds it has been ready. */
  readonly ready?: number;
  readonly going?: boolean;
  readonly revision?: string;
}

const pod = ({ phase = "Running", ready, going = false, revision = "new" }: Traits): Pod => {
  const lastTransitionTime = new Date(now - (ready ?? 0) * 1000).toISOString().replace(".000", "");
  return {
    metadata: {
      labels: { "controller-revision-hash": revision },
      ...(going && { deletionTimestamp: lastTransitionTime }),
    },
    status: {
      phase,
      conditions:
        ready === undefined ? [] : [{ type: "Ready", status: "True", lastTransitionTime }],
    },
  } as never;
};

const up: Traits = { ready: 10 };

test.each<[string, Traits | undefined, string, boolean]>([
  ["a missing one is created", undefined, "create", true],
  ["a failed one is deleted", { phase: "Failed" }, "delete", true],
  ["a succeeded one is deleted", { phase: "Succeeded" }, "delete", true],
  [
    "a failed one that is being deleted is waited for",
    { phase: "Failed", going: true },
    "none",
    true,
  ],
  ["one that is being deleted is waited for", { ...up, going: true }, "none", true],
  ["one that is not ready is waited for", {}, "none", true],
  ["one that is not available yet is waited for", { ready: 9 }, "none", true],
  ["an available one is kept", up, "keep", false],
])("planReplica: %s", (_, traits, action, isBlocking) => {
  const given = traits && pod(traits);
  expect(planReplica(given, rules(true))).toEqual({ action, isBlocking });
  const isWaiting = action === "none" && traits?.phase === undefined;
  const parallel = { action: isWaiting ? "keep" : action, isBlocking: false };
  expect(planReplica(given, rules(false))).toEqual(parallel);
});

test.each<[string, Traits[], boolean, number[]]>([
  ["the highest goes first", [up, up], true, [0]],
  ["one at a time", [{ ...up, going: true }, up], true, []],
  ["one that is not available waits for an earlier one that is not either", [{}, {}], true, []],
  ["the first that is not available goes", [{}, up], true, [0]],
  ["all go at once in parallel", [up, { ...up, going: true }, {}], false, [0, 2]],
])("condemnedToDelete: %s", (_, traits, isOrdered, expected) => {
  const condemned = traits.map(pod);
  const firstUnavailable = condemned.findLast((one) => one.status.conditions?.length === 0);
  const deleted = condemnedToDelete(condemned, firstUnavailable, rules(isOrdered));
  expect(deleted.map((one) => condemned.indexOf(one))).toEqual(expected);
});

const old: Traits = { ...up, revision: "old" };

test.each<[string, (Traits | undefined)[], number, number | undefined]>([
  ["the last pod of another revision", [old, old, up], 0, 1],
  ["none while a new one is not available", [old, { ready: 1 }], 0, undefined],
  ["none while one is being deleted", [old, { ...old, going: true }], 0, undefined],
  ["none while one is missing", [old, undefined], 0, undefined],
  ["one that is not available, as it may never be", [old, { revision: "old" }], 0, 1],
  ["none below the partition", [old, old, up], 2, undefined],
  ["none if all are updated", [up, up], 0, undefined],
])("nextToUpdate: %s", (_, traits, partition, expected) => {
  const replicas = traits.map((one) => one && pod(one));
  const next = nextToUpdate(replicas, { partition, revision: "new" }, rules(true));
  expect(next && replicas.indexOf(next)).toBe(expected);
});

const isNew: Traits = { ready: 1 };

test.each<[string, (Traits | undefined)[], number, number, number[]]>([
  ["the last pods of another revision", [old, old, old], 0, 2, [2, 1]],
  ["fewer while others are not available", [old, old, isNew], 0, 2, [1]],
  ["none while too many are not available", [old, isNew, isNew], 0, 2, []],
  ["one that is missing is not available", [old, old, undefined], 0, 2, [1]],
  ["one that is being deleted is not available", [old, old, { ...old, going: true }], 0, 2, [1]],
  [
    "one of another revision that is not available counts, too",
    [old, { revision: "old" }],
    0,
    1,
    [],
  ],
  ["new ones between are left alone", [old, up, old], 0, 3, [2, 0]],
  ["none below the partition", [old, old, old], 2, 3, [2]],
  ["those below the partition count", [isNew, old, old], 1, 2, [2]],
  ["none if all are updated", [up, up], 0, 2, []],
])("podsToUpdate: %s", (_, traits, partition, maxUnavailable, expected) => {
  const replicas = traits.map((one) => one && pod(one));
  const update = { partition, revision: "new", maxUnavailable };
  const next = podsToUpdate(replicas, update, rules(true));
  expect(next.map((one) => replicas.indexOf(one))).toEqual(expected);
});
