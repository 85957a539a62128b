import { expect, test } from "vitest";
import type { Pod } from "../api/core/v1/pod/pod.ts";
import { disruptionTarget } from "./disruption-target.ts";

const clock = { now: () => Date.UTC(2026, 0, 1) };
const why = { reason: "Because", message: "it is so" };
const pod = (conditions?: object[], generation = 3): Pod =>
  ({ metadata: { name: "p", generation }, spec: {}, status: { conditions } }) as unknown as Pod;
const condition = {
  type: "DisruptionTarget",
  observedGeneration: 3,
  status: "True",
  lastTransitionTime: "2026-01-01T00:00:00Z",
  ...why,
};

test("disruptionTarget: a new condition has the current time and generation", () => {
  expect(disruptionTarget(pod(), why, clock)).toEqual(condition);
  const { observedGeneration: _, ...rest } = condition;
  expect(disruptionTarget(pod(undefined, 0), why, clock)).toEqual(rest);
});

test("disruptionTarget: an existing condition is not written again", () => {
  const old = { ...condition, lastTransitionTime: "2025-01-01T00:00:00Z", observedGeneration: 2 };
  expect(disruptionTarget(pod([old]), why, clock)).toBeUndefined();
});

test("disruptionTarget: another reason keeps the transition time", () => {
  const lastTransitionTime = "2025-01-01T00:00:00Z";
  const old = { ...condition, lastTransitionTime, reason: "Other" };
  expect(disruptionTarget(pod([old]), why, clock)).toEqual({ ...condition, lastTransitionTime });
  const never = { ...old, status: "False" };
  expect(disruptionTarget(pod([never]), why, clock)).toEqual(condition);
});
