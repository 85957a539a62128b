import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { type LimitInput, limitedReplicas } from "./limited-replicas.ts";
import { initialHistory, type ScalingHistory, withScaleEvent } from "./scaling-history.ts";

const minute = 60_000;
const now = 60 * minute;
const plain: LimitInput = {
  current: 5,
  desired: 5,
  min: 1,
  max: 100,
  behavior: undefined,
  downscaleStabilizationMs: 5 * minute,
  now,
};
const nothingBefore: ScalingHistory = { recommendations: [], scaledUp: [], scaledDown: [] };
const recommended = (replicas: number, minutesAgo: number) => ({
  replicas,
  at: now - minutesAgo * minute,
});

interface Row {
  readonly given: Partial<LimitInput>;
  readonly history?: Partial<ScalingHistory>;
  readonly is: readonly [replicas: number, able: string, limited: string];
}

const percent = { type: "Percent", value: 100, periodSeconds: 15 } as const;
const pods = { type: "Pods", value: 2, periodSeconds: 60 } as const;
const up = (more: object) => ({ scaleUp: { policies: [pods], ...more }, scaleDown: {} });
const down = (more: object) => ({
  scaleUp: {},
  scaleDown: { policies: [pods], stabilizationWindowSeconds: 0, ...more },
});

each<[rule: string, row: Row]>([
  ["nothing to do", { given: {}, is: [5, "ReadyForNewScale", "False DesiredWithinRange"] }],
  [
    "at most twice as many",
    { given: { desired: 30 }, is: [10, "ReadyForNewScale", "True ScaleUpLimit"] },
  ],
  [
    "or four",
    { given: { current: 1, desired: 30 }, is: [4, "ReadyForNewScale", "True ScaleUpLimit"] },
  ],
  [
    "the maximum",
    { given: { desired: 9, max: 7 }, is: [7, "ReadyForNewScale", "True TooManyReplicas"] },
  ],
  [
    "the minimum",
    { given: { desired: 1, min: 3 }, is: [3, "ReadyForNewScale", "True TooFewReplicas"] },
  ],
  [
    "the highest recommendation of five minutes",
    {
      given: { desired: 2 },
      history: { recommendations: [recommended(9, 6), recommended(4, 5), recommended(3, 1)] },
      is: [4, "ScaleDownStabilized", "False DesiredWithinRange"],
    },
  ],
  [
    "so many pods in a period",
    {
      given: { desired: 20, behavior: up({}) },
      history: {
        scaledUp: [
          { change: 1, at: now - 30_000 },
          { change: 4, at: now - 61_000 },
        ],
      },
      is: [6, "ReadyForNewScale", "True ScaleUpLimit"],
    },
  ],
  [
    "the policy that allows most",
    {
      given: { desired: 20, behavior: up({ policies: [pods, percent] }) },
      is: [10, "ReadyForNewScale", "True ScaleUpLimit"],
    },
  ],
  [
    "the policy that allows least",
    {
      given: { desired: 20, behavior: up({ policies: [pods, percent], selectPolicy: "Min" }) },
      is: [7, "ReadyForNewScale", "True ScaleUpLimit"],
    },
  ],
  [
    "no pods are added where that is disabled",
    {
      given: { desired: 20, behavior: up({ selectPolicy: "Disabled" }) },
      is: [5, "ReadyForNewScale", "True ScaleUpLimit"],
    },
  ],
  [
    "the lowest recommendation of the window for adding",
    {
      given: { desired: 8, behavior: up({ stabilizationWindowSeconds: 120 }) },
      history: { recommendations: [recommended(3, 3), recommended(6, 1)] },
      is: [6, "ScaleUpStabilized", "False DesiredWithinRange"],
    },
  ],
  [
    "so many pods removed in a period",
    {
      given: { desired: 1, behavior: down({}) },
      is: [3, "ReadyForNewScale", "True ScaleDownLimit"],
    },
  ],
  [
    "most removed of two policies, with what was removed before",
    {
      given: {
        desired: 1,
        behavior: down({ policies: [pods, { type: "Percent", value: 50, periodSeconds: 60 }] }),
      },
      history: { scaledDown: [{ change: 3, at: now - 10_000 }] },
      is: [4, "ReadyForNewScale", "True ScaleDownLimit"],
    },
  ],
  [
    "the window for removing is the controller's where there is none",
    {
      given: { desired: 1, behavior: { scaleUp: {}, scaleDown: { policies: [percent] } } },
      history: { recommendations: [recommended(4, 4)] },
      is: [4, "ScaleDownStabilized", "False DesiredWithinRange"],
    },
  ],
  [
    "no pods are removed where that is disabled",
    {
      given: { desired: 1, behavior: down({ selectPolicy: "Disabled" }) },
      is: [5, "ReadyForNewScale", "True ScaleDownLimit"],
    },
  ],
])("limitedReplicas: %s", (_, { given, history, is }) => {
  const { replicas, able, limited } = limitedReplicas(
    { ...plain, ...given },
    { ...nothingBefore, ...history },
  );
  expect([replicas, able.reason, `${limited.status} ${limited.reason}`]).toEqual(is);
});

test("scaling history: recommendations and changes are kept as long as they count", () => {
  const started = initialHistory(3, now - 10 * minute);
  const { history } = limitedReplicas(plain, started);
  expect(history.recommendations).toEqual([{ replicas: 5, at: now }]);
  const rules = { policies: [pods] };
  const once = withScaleEvent(history, { from: 5, to: 3, now: now - 61_000 }, rules);
  const twice = withScaleEvent(once, { from: 3, to: 2, now }, rules);
  expect(twice.scaledDown).toEqual([{ change: 1, at: now }]);
});
