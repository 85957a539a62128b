import { describe, expect, test } from "vitest";
import type { Pod } from "../../core/v1/pod/pod.ts";
import { StatusError } from "../../meta/v1/status-error.ts";
import { budgetsFor, decideEviction, isEnding, needsNoBudget } from "./eviction-decision.ts";
import type { PodDisruptionBudget } from "./pod-disruption-budget.ts";

const now = "2026-01-01T00:00:00Z";
const pod = (status: object, metadata: object = {}) =>
  ({ metadata: { name: "p", labels: { app: "a" }, ...metadata }, status }) as unknown as Pod;
const ready = pod({ phase: "Running", conditions: [{ type: "Ready", status: "True" }] });
const unready = pod({ phase: "Running" });
const budget = (status: object, spec: object = {}) =>
  ({
    metadata: { name: "b", generation: 2 },
    spec: { selector: { matchLabels: { app: "a" } }, ...spec },
    status: {
      observedGeneration: 2,
      disruptionsAllowed: 1,
      currentHealthy: 3,
      desiredHealthy: 2,
      expectedPods: 3,
      ...status,
    },
  }) as unknown as PodDisruptionBudget;

test.each([
  ["Pending", {}, true, false],
  ["Running", {}, false, false],
  ["Succeeded", {}, true, true],
  ["Failed", {}, true, true],
  ["Running", { deletionTimestamp: now }, true, true],
])(
  "a pod that is %s, with %j: needs no budget %s, is ending %s",
  (phase, metadata, free, ending) => {
    const one = pod({ phase }, metadata);
    expect([needsNoBudget(one), isEnding(one)]).toEqual([free, ending]);
  },
);

test("budgetsFor: by labels; an empty selector takes all, none takes none", () => {
  const of = (selector: unknown) => budgetsFor(ready, [budget({}, { selector })]).length;
  const other = { matchLabels: { app: "b" } };
  const broken = { matchExpressions: [{ key: "app", operator: "Bogus" }] };
  expect([{ matchLabels: { app: "a" } }, other, {}, undefined, broken].map(of)).toEqual([
    1, 0, 1, 0, 0,
  ]);
});

describe("decideEviction", () => {
  test("without a budget a pod goes", () => {
    expect(decideEviction(ready, [], now)).toEqual({ type: "delete", asSeen: false });
  });
  test.each([
    ["always", { currentHealthy: 0 }, { unhealthyPodEvictionPolicy: "AlwaysAllow" }],
    ["while enough others are healthy", {}, {}],
  ])("a pod that is not ready is not counted: %s", (_, status, spec) => {
    expect(decideEviction(unready, [budget(status, spec)], now)).toEqual({
      type: "delete",
      asSeen: true,
    });
  });
  test("an eviction is noted in the budget", () => {
    const two = budget({ disruptionsAllowed: 2, disruptedPods: { q: "earlier" } });
    expect(decideEviction(ready, [two], now)).toEqual({
      type: "spend",
      budget: {
        ...two,
        status: { ...two.status, disruptionsAllowed: 1, disruptedPods: { p: now, q: "earlier" } },
      },
    });
  });
  test("the last one turns the condition", () => {
    const conditions = [
      { type: "DisruptionAllowed", status: "True", lastTransitionTime: "earlier" },
    ];
    expect(decideEviction(ready, [budget({ conditions })], now)).toMatchObject({
      budget: {
        status: {
          disruptionsAllowed: 0,
          conditions: [
            {
              type: "DisruptionAllowed",
              status: "False",
              reason: "InsufficientPods",
              lastTransitionTime: now,
              observedGeneration: 2,
            },
          ],
        },
      },
    });
  });

  const refused = (budgets: readonly PodDisruptionBudget[], one = ready) => {
    try {
      return decideEviction(one, budgets, now);
    } catch (error) {
      if (!StatusError.is(error)) throw error;
      const [cause] = error.details?.causes ?? [];
      return `${error.code} ${cause?.message ?? error.message}`;
    }
  };
  const none = { disruptionsAllowed: 0 };
  const no = (reason: string, message: string) => ({
    conditions: [{ type: "DisruptionAllowed", status: "False", reason, message }],
  });
  test.each([
    [
      "two budgets",
      [budget({}), budget({})],
      "500 This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    ],
    [
      "not seen yet",
      [budget({ observedGeneration: 1 })],
      "429 The disruption budget b is still being processed by the server.",
    ],
    [
      "less than none",
      [budget({ disruptionsAllowed: -1 })],
      '403 poddisruptionbudget.policy "b" is forbidden: pdb disruptions allowed is negative',
    ],
    [
      "too many not confirmed",
      [
        budget({
          disruptedPods: Object.fromEntries(Array.from({ length: 2001 }, (_, i) => [`p${i}`, now])),
        }),
      ],
      '403 poddisruptionbudget.policy "b" is forbidden: DisruptedPods map too big - too many evictions not confirmed by PDB controller',
    ],
    [
      "too few",
      [budget({ ...none, currentHealthy: 2 })],
      "429 The disruption budget b needs 2 healthy pods and has 2 currently",
    ],
    [
      "sync failed",
      [budget({ ...none, currentHealthy: 1, ...no("SyncFailed", "why") })],
      "429 The disruption budget b does not allow evicting pods currently because it failed sync: why",
    ],
    [
      "a condition says so",
      [budget({ ...none, ...no("Because", "why") })],
      "429 The disruption budget b does not allow evicting pods currently (Because): why",
    ],
    [
      "nobody says why",
      [budget(none)],
      "429 The disruption budget b does not allow evicting pods currently",
    ],
  ])("is refused: %s", (_, budgets, text) => {
    expect(refused(budgets)).toBe(text);
  });
});
