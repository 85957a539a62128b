import { expect, test } from "vitest";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { PodDisruptionBudget } from "../../api/policy/v1/pod-disruption-budget.ts";
import type {
  PodDisruptionBudgetSpec,
  PodDisruptionBudgetStatus,
} from "../../api/policy/v1/pod-disruption-budget-spec.ts";
import { budgetStatus, budgetTarget, countsScale, failedStatus } from "./budget-status.ts";

const now = Date.parse("2026-01-01T00:10:00Z");
const ago = (seconds: number): string =>
  new Date(now - seconds * 1000).toISOString().replace(".000", "");

test.each<[PodDisruptionBudgetSpec, number, number, number, boolean]>([
  [{ minAvailable: 2 }, 5, 5, 2, false],
  [{ minAvailable: 2 }, 1, 1, 2, false],
  [{ minAvailable: "50%" }, 5, 5, 3, true],
  [{ minAvailable: "0%" }, 5, 5, 0, true],
  [{ minAvailable: "100%" }, 5, 5, 5, true],
  [{ maxUnavailable: 1 }, 5, 5, 4, true],
  [{ maxUnavailable: 9 }, 5, 5, 0, true],
  [{ maxUnavailable: "30%" }, 5, 5, 3, true],
  [{ maxUnavailable: "1%" }, 5, 5, 4, true],
  [{}, 5, 0, 0, false],
])("budgetTarget: %j of %i pods", (spec, count, expectedPods, desiredHealthy, scale) => {
  expect(budgetTarget(spec, count)).toEqual({ expectedPods, desiredHealthy });
  expect(countsScale(spec)).toBe(scale);
});

test("budgetTarget: a text that is not a percentage is an error", () => {
  expect(() => budgetTarget({ maxUnavailable: "many" }, 5)).toThrow(
    "invalid value for IntOrString: invalid type: string is not a percentage",
  );
});

/** `a` is a pod that is ready, `a!` one that is not, `a-` one that is being deleted. */
const pod = (text: string): Pod =>
  ({
    metadata: {
      name: text.replace(/[!-]/, ""),
      ...(text.endsWith("-") && { deletionTimestamp: ago(1) }),
    },
    status: { conditions: [{ type: "Ready", status: text.endsWith("!") ? "False" : "True" }] },
  }) as unknown as Pod;

const budget = (status: Partial<PodDisruptionBudgetStatus>): PodDisruptionBudget =>
  ({
    metadata: { name: "b", generation: 2 },
    spec: {},
    status: {
      disruptionsAllowed: 0,
      currentHealthy: 0,
      desiredHealthy: 0,
      expectedPods: 0,
      ...status,
    },
  }) as unknown as PodDisruptionBudget;

interface Row {
  readonly name: string;
  readonly pods: string;
  readonly desired?: number;
  readonly expected?: number;
  readonly disrupted?: Readonly<Record<string, string>>;
  readonly healthy: number;
  readonly allowed: number;
  readonly stays?: readonly string[];
  readonly overdue?: readonly string[];
  readonly recheckMs?: number;
}

test.each<Row>([
  {
    name: "healthy pods beyond the minimum may be disrupted",
    pods: "a b c",
    healthy: 3,
    allowed: 2,
  },
  { name: "a pod that is not ready is not healthy", pods: "a b! c", healthy: 2, allowed: 1 },
  { name: "a pod that is being deleted is not healthy", pods: "a b- c", healthy: 2, allowed: 1 },
  {
    name: "too few healthy pods allow no disruption",
    pods: "a",
    desired: 3,
    healthy: 1,
    allowed: 0,
  },
  {
    name: "without expected pods no disruption is allowed",
    pods: "a b",
    expected: 0,
    healthy: 2,
    allowed: 0,
  },
  {
    name: "a pod whose eviction was allowed does not count as healthy",
    pods: "a b c",
    disrupted: { a: ago(30) },
    healthy: 2,
    allowed: 1,
    stays: ["a"],
    recheckMs: 90_000,
  },
  {
    name: "the next check is at the first overdue pod",
    pods: "a b c",
    disrupted: { a: ago(50), b: ago(30) },
    healthy: 1,
    allowed: 0,
    stays: ["a", "b"],
    recheckMs: 70_000,
  },
  {
    name: "a pod that is not deleted within two minutes counts again",
    pods: "a b c",
    disrupted: { a: ago(121) },
    healthy: 3,
    allowed: 2,
    overdue: ["a"],
  },
  {
    name: "a pod is not overdue after exactly two minutes",
    pods: "a b c",
    disrupted: { a: ago(120) },
    healthy: 3,
    allowed: 2,
    stays: ["a"],
    recheckMs: 0,
  },
  {
    name: "pods that are being deleted or are gone are forgotten",
    pods: "a- b c",
    disrupted: { a: ago(5), gone: ago(5) },
    healthy: 2,
    allowed: 1,
  },
])("budgetStatus: $name", (row) => {
  const { pods, desired = 1, expected = 3, disrupted, healthy, allowed } = row;
  const { stays = [], overdue = [], recheckMs } = row;
  const decision = budgetStatus(budget(disrupted ? { disruptedPods: disrupted } : {}), {
    pods: pods.split(" ").map(pod),
    desiredHealthy: desired,
    expectedPods: expected,
    now,
  });
  expect(decision.status).toEqual({
    observedGeneration: 2,
    currentHealthy: healthy,
    desiredHealthy: desired,
    expectedPods: expected,
    disruptionsAllowed: allowed,
    ...(stays.length > 0 && {
      disruptedPods: Object.fromEntries(stays.map((name) => [name, disrupted?.[name]])),
    }),
    conditions: [
      {
        type: "DisruptionAllowed",
        status: allowed > 0 ? "True" : "False",
        reason: allowed > 0 ? "SufficientPods" : "InsufficientPods",
        message: "",
        observedGeneration: 2,
        lastTransitionTime: "2026-01-01T00:10:00Z",
      },
    ],
  });
  expect(decision.overdue.map(({ metadata }) => metadata.name)).toEqual(overdue);
  expect(decision.recheckMs).toBe(recheckMs);
});

const facts = { pods: ["a", "b"].map(pod), desiredHealthy: 1, expectedPods: 2, now };
const right = budgetStatus(budget({}), facts).status as PodDisruptionBudgetStatus;

test.each<[string, Partial<PodDisruptionBudgetStatus>, boolean]>([
  ["an unchanged status is not written", {}, true],
  ["other numbers are written", { currentHealthy: 1 }, false],
  ["another generation is written", { observedGeneration: 1 }, false],
  ["pods that are gone are taken out", { disruptedPods: { x: ago(1) } }, false],
  ["a missing condition is written", { conditions: [] }, false],
  [
    "a failure is taken back",
    { conditions: right.conditions?.map((one) => ({ ...one, reason: "SyncFailed" })) ?? [] },
    false,
  ],
])("budgetStatus: %s", (_name, change, isUnchanged) => {
  const { status } = budgetStatus(budget({ ...right, ...change }), { ...facts, now: now + 5000 });
  expect(status === undefined).toBe(isUnchanged);
});

test("failedStatus: no disruption is allowed, with a condition; other fields are kept", () => {
  const failed = failedStatus(budget({ ...right, disruptionsAllowed: 1 }), "so what", now + 5000);
  expect(failed).toEqual({
    ...right,
    disruptionsAllowed: 0,
    conditions: [
      {
        type: "DisruptionAllowed",
        status: "False",
        reason: "SyncFailed",
        message: "so what",
        observedGeneration: 2,
        lastTransitionTime: "2026-01-01T00:10:05Z",
      },
    ],
  });
});
