import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { jobOf, podOf } from "./job.test-support.ts";
import { type ConditionInput, isTrue } from "./job-conditions.ts";
import { jobFacts } from "./job-facts.ts";
import { countReleased, trackPods } from "./track-pods.ts";

interface Case {
  readonly spec?: object;
  readonly status?: object;
  readonly pods: readonly Pod[];
  readonly verdict?: ConditionInput;
  readonly wanted: object;
}

const failing = isTrue("FailureTarget", "BackoffLimitExceeded", "m");
const met = isTrue("SuccessCriteriaMet", "SuccessPolicy", "m");
const indexed = { completionMode: "Indexed", completions: 3 };
const failIgnored = {
  podFailurePolicy: {
    rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }],
  },
};
const disrupted = { conditions: [{ type: "DisruptionTarget", status: "True" }] };

const cases: Readonly<Record<string, Case>> = {
  "pods that have ended are listed, and lose their finalizers": {
    pods: [podOf("a", { phase: "Succeeded" }), podOf("b", { phase: "Failed" }), podOf("c")],
    wanted: { succeeded: ["a"], failed: ["b"], release: ["a", "b"], counts: [0, 0] },
  },
  "pods that are listed already are not listed again": {
    status: { uncountedTerminatedPods: { succeeded: ["a"], failed: ["b"] } },
    pods: [podOf("a", { phase: "Succeeded" }), podOf("b", { phase: "Failed" })],
    wanted: { succeeded: ["a"], failed: ["b"], release: ["a", "b"], counts: [0, 0] },
  },
  "listed pods without a finalizer are counted, whether they are there or not": {
    status: { succeeded: 4, uncountedTerminatedPods: { succeeded: ["a", "x"], failed: ["b"] } },
    pods: [
      podOf("a", { phase: "Succeeded", isUntracked: true }),
      podOf("b", { phase: "Failed", isUntracked: true }),
    ],
    wanted: { succeeded: [], failed: [], release: [], counts: [6, 1] },
  },
  "a pod that is listed as failed stays so, whatever it says later": {
    status: { uncountedTerminatedPods: { failed: ["a"] } },
    pods: [podOf("a", { phase: "Succeeded" })],
    wanted: { succeeded: [], failed: ["a"], release: ["a"], counts: [0, 0] },
  },
  "a pod that is being deleted counts as failed": {
    pods: [podOf("a", { isGoing: true })],
    wanted: { succeeded: [], failed: ["a"], release: ["a"], counts: [0, 0] },
  },
  "a pod that is being deleted does not count if its replacement waits for its end": {
    spec: { podReplacementPolicy: "Failed" },
    pods: [podOf("a", { isGoing: true })],
    wanted: { succeeded: [], failed: [], release: [], counts: [0, 0] },
  },
  "in a job that fails, pods that run count as failed": {
    pods: [podOf("a"), podOf("b", { phase: "Succeeded" })],
    verdict: failing,
    wanted: { succeeded: ["b"], failed: ["a"], release: ["a", "b"], counts: [0, 0] },
  },
  "in a job that succeeds, they do not": {
    pods: [podOf("a")],
    verdict: met,
    wanted: { succeeded: [], failed: [], release: ["a"], counts: [0, 0] },
  },
  "failures that the policy ignores lose their finalizer uncounted": {
    spec: failIgnored,
    pods: [podOf("a", { phase: "Failed", status: disrupted })],
    wanted: { succeeded: [], failed: [], release: ["a"], counts: [0, 0], actions: ["Ignore"] },
  },
  "succeeded indexes are a set": {
    spec: indexed,
    status: { completedIndexes: "1" },
    pods: [
      podOf("a", { phase: "Succeeded", index: 2 }),
      podOf("b", { phase: "Succeeded", index: 1 }),
      podOf("c", { phase: "Succeeded", index: 2 }),
    ],
    wanted: { succeeded: [], failed: [], release: ["b", "a", "c"], counts: [2, 0], indexes: "1,2" },
  },
  "pods without a valid index count nowhere": {
    spec: indexed,
    pods: [
      podOf("a", { phase: "Succeeded", index: 3 }),
      podOf("b", { phase: "Failed", index: "x" }),
      podOf("c", { phase: "Failed" }),
    ],
    wanted: { succeeded: [], failed: [], release: ["b", "c", "a"], counts: [0, 0] },
  },
  "the last failed pod of an index keeps its finalizer until it is replaced": {
    spec: { ...indexed, backoffLimitPerIndex: 1 },
    pods: [podOf("a", { phase: "Failed", index: 0 })],
    wanted: { succeeded: [], failed: [], release: [], counts: [0, 0] },
  },
  "it loses it once another pod of the index runs": {
    spec: { ...indexed, backoffLimitPerIndex: 1 },
    pods: [podOf("a", { phase: "Failed", index: 0 }), podOf("b", { index: 0 })],
    wanted: { succeeded: [], failed: ["a"], release: ["a"], counts: [0, 0] },
  },
};

test.each(Object.entries(cases))(
  "trackPods: %s",
  (_, { spec, status = {}, pods, verdict, wanted }) => {
    const job = jobOf(spec, status);
    const tracking = trackPods(jobFacts(job, pods), { status: job.status, verdict, now: 0 });
    const { succeeded = [], failed = [] } = tracking.status.uncountedTerminatedPods ?? {};
    expect({
      succeeded,
      failed,
      release: tracking.release.map(({ metadata }) => metadata.name),
      counts: [tracking.status.succeeded, tracking.status.failed],
      ...(tracking.actions.length > 0 && { actions: tracking.actions }),
      ...(tracking.status.completedIndexes && { indexes: tracking.status.completedIndexes }),
    }).toEqual(wanted);
  },
);

each<[number]>([[499], [500], [700]])(
  "trackPods: of %i pods, those that make 500 are listed at once, and a job ends only after all",
  (count) => {
    const pods = Array.from({ length: count }, (_, i) => podOf(`p${i}`, { phase: "Succeeded" }));
    const job = jobOf();
    const { status, release, final } = trackPods(jobFacts(job, pods), {
      status: {},
      verdict: met,
      now: 0,
    });
    expect(release).toHaveLength(Math.min(count, 500));
    expect(status.uncountedTerminatedPods?.succeeded).toHaveLength(Math.min(count, 500));
    expect(final?.type).toBe(count < 500 ? "Complete" : undefined);
  },
);

each<[listed: string[], held: string[], failed: number, left: string[]]>([
  [[], [], 1, []],
  [["a", "b"], ["b"], 2, ["b"]],
  [["a", "b"], ["a", "b", "c"], 1, ["a", "b"]],
  [["a", "b"], [], 3, []],
])(
  "countReleased: of %j with finalizers on %j, %i are failed, %j are left",
  (listed, held, failed, left) => {
    const status = countReleased(
      { failed: 1, uncountedTerminatedPods: { failed: listed } },
      new Set(held),
    );
    expect([status.failed, status.uncountedTerminatedPods?.failed ?? []]).toEqual([failed, left]);
  },
);
