import { expect, test } from "vitest";
import type { DeploymentCondition } from "../../api/apps/v1/deployment-spec.ts";
import type { Condition } from "../../api/meta/v1/condition.ts";
import { findCondition, isConditionTrue, withCondition, withoutCondition } from "./conditions.ts";

const clock = { now: () => Date.UTC(2026, 0, 2, 3, 4, 5) };
const now = "2026-01-02T03:04:05Z";
const ready = {
  type: "Ready",
  status: "True",
  reason: "Fine",
  message: "all is well",
  lastTransitionTime: "2025-01-01T00:00:00Z",
  observedGeneration: 1,
} satisfies Condition;

test("a new condition is added at the end, with the current time", () => {
  const { lastTransitionTime: _, ...synced } = { ...ready, type: "Synced" };
  expect(withCondition<Condition>([ready], synced, clock)).toEqual([
    ready,
    { ...synced, lastTransitionTime: now },
  ]);
  expect(withCondition<Condition>(undefined, ready, clock)).toEqual([ready]);
});

test("the time of transition changes with the status only", () => {
  const { lastTransitionTime: _, ...same } = ready;
  const changed = withCondition<Condition>([ready], { ...same, message: "still" }, clock);
  expect(changed).toEqual([{ ...ready, message: "still" }]);
  const failed = withCondition<Condition>([ready], { ...same, status: "False" }, clock);
  expect(failed).toEqual([{ ...ready, status: "False", lastTransitionTime: now }]);
  const given = "2026-01-01T00:00:00Z";
  expect(
    withCondition<Condition>(
      [ready],
      { ...ready, status: "False", lastTransitionTime: given },
      clock,
    ),
  ).toEqual([{ ...ready, status: "False", lastTransitionTime: given }]);
});

test("the list stays the same if nothing changes", () => {
  const list = [ready];
  const { lastTransitionTime: _, ...same } = ready;
  expect(withCondition<Condition>(list, same, clock)).toBe(list);
  expect(withCondition<Condition>(list, { ...same, observedGeneration: 2 }, clock)).toEqual([
    { ...ready, observedGeneration: 2 },
  ]);
  const { observedGeneration: _g, ...unobserved } = same;
  expect(withCondition<Condition>(list, unobserved, clock)).toEqual([
    { ...unobserved, lastTransitionTime: ready.lastTransitionTime },
  ]);
  expect(withoutCondition(list, "Synced")).toBe(list);
  expect(withoutCondition(list, "Ready")).toEqual([]);
});

test("conditions are found by type, those of older kinds too", () => {
  const available: DeploymentCondition = {
    type: "Available",
    status: "False",
    lastTransitionTime: now,
    lastUpdateTime: now,
  };
  const list = withCondition<DeploymentCondition>([], available, clock);
  expect(findCondition(list, "Available")).toEqual(available);
  expect([isConditionTrue(list, "Available"), isConditionTrue([ready], "Ready")]).toEqual([
    false,
    true,
  ]);
  expect(isConditionTrue(undefined, "Ready")).toBe(false);
});
