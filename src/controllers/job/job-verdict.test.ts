import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { jobOf, podOf } from "./job.test-support.ts";
import { jobFacts } from "./job-facts.ts";
import { completion, jobVerdict } from "./job-verdict.ts";

const start = Date.parse("2026-01-01T00:00:00Z");
const condition = (type: string, reason: string) => ({
  type,
  status: "True",
  reason,
  message: "m",
});
const failed = (count: number): Pod[] =>
  Array.from({ length: count }, (_, i) => podOf(`f${i}`, { phase: "Failed" }));
const restarted = (restartCount: number): Pod =>
  podOf("r", { status: { containerStatuses: [{ name: "c", restartCount }] } });
const onFailure = { template: { metadata: {}, spec: { restartPolicy: "OnFailure" } } };
const indexed = { completionMode: "Indexed", completions: 3, backoffLimitPerIndex: 0 };
const at = (index: number, phase: string): Pod => podOf(`${phase}${index}`, { phase, index });
const onExitCodes = { operator: "NotIn", values: [1] };
const exited = (name: string, exitCode: number): Pod =>
  podOf("p", {
    phase: "Failed",
    status: { initContainerStatuses: [{ name, state: { terminated: { exitCode } } }] },
  });
const failsOn = (onExit: object) => ({
  podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: onExit }] },
});

each<[string, object, object, readonly Pod[], string | undefined]>([
  ["a job without pods goes on", {}, {}, [], undefined],
  ["as many failures as the limit are fine", { backoffLimit: 2 }, {}, failed(2), undefined],
  ["one more is not", { backoffLimit: 2 }, {}, failed(3), "FailureTarget BackoffLimitExceeded"],
  [
    "counted ones are added",
    { backoffLimit: 2 },
    { failed: 2 },
    failed(1),
    "FailureTarget BackoffLimitExceeded",
  ],
  [
    "restarts below the limit are fine",
    { ...onFailure, backoffLimit: 2 },
    {},
    [restarted(1)],
    undefined,
  ],
  [
    "as many as the limit are not",
    { ...onFailure, backoffLimit: 2 },
    {},
    [restarted(2)],
    "FailureTarget BackoffLimitExceeded",
  ],
  [
    "without any retry, no restart is fine",
    { ...onFailure, backoffLimit: 0 },
    {},
    [restarted(0)],
    undefined,
  ],
  [
    "without any retry, one is too many",
    { ...onFailure, backoffLimit: 0 },
    {},
    [restarted(1)],
    "FailureTarget BackoffLimitExceeded",
  ],
  [
    "the deadline counts from the start",
    { activeDeadlineSeconds: 60 },
    { startTime: "2026-01-01T00:00:01Z" },
    [],
    undefined,
  ],
  [
    "it has passed",
    { activeDeadlineSeconds: 60 },
    { startTime: "2026-01-01T00:00:00Z" },
    [],
    "FailureTarget DeadlineExceeded",
  ],
  [
    "a suspended job has no deadline",
    { activeDeadlineSeconds: 60, suspend: true },
    { startTime: "2026-01-01T00:00:00Z" },
    [],
    undefined,
  ],
  [
    "a decision stays",
    {},
    { conditions: [condition("SuccessCriteriaMet", "R")] },
    failed(9),
    "SuccessCriteriaMet R",
  ],
  [
    "a target becomes the end",
    {},
    { conditions: [condition("FailureTarget", "R")] },
    [],
    "Failed R",
  ],
  ["failed indexes, while others run", indexed, {}, [at(0, "Failed"), at(1, "Running")], undefined],
  [
    "all indexes ended, one failed",
    indexed,
    { completedIndexes: "1,2" },
    [at(0, "Failed")],
    "FailureTarget FailedIndexes",
  ],
  [
    "more failed indexes than allowed",
    { ...indexed, maxFailedIndexes: 0 },
    {},
    [at(0, "Failed")],
    "FailureTarget MaxFailedIndexesExceeded",
  ],
  ["as many as allowed", { ...indexed, maxFailedIndexes: 1 }, {}, [at(0, "Failed")], undefined],
  [
    "an exit code that the policy names",
    failsOn(onExitCodes),
    {},
    [exited("i", 2)],
    "FailureTarget PodFailurePolicy",
  ],
  ["an exit code that it does not name", failsOn(onExitCodes), {}, [exited("i", 1)], undefined],
  [
    "an exit code of another container",
    failsOn({ ...onExitCodes, containerName: "x" }),
    {},
    [exited("i", 2)],
    undefined,
  ],
  [
    "the success policy is met",
    { ...indexed, successPolicy: { rules: [{ succeededIndexes: "0-1", succeededCount: 1 }] } },
    {},
    [at(1, "Succeeded")],
    "SuccessCriteriaMet SuccessPolicy",
  ],
  [
    "it is not met by another index",
    { ...indexed, successPolicy: { rules: [{ succeededIndexes: "0-1", succeededCount: 1 }] } },
    {},
    [at(2, "Succeeded")],
    undefined,
  ],
  [
    "any index counts",
    { ...indexed, successPolicy: { rules: [{ succeededIndexes: "0" }, { succeededCount: 1 }] } },
    {},
    [at(2, "Succeeded")],
    "SuccessCriteriaMet SuccessPolicy",
  ],
])("jobVerdict: %s", (_, spec, status, pods, wanted) => {
  const verdict = jobVerdict(jobFacts(jobOf(spec, status), pods), start + 60_000);
  expect(verdict && `${verdict.type} ${verdict.reason}`).toBe(wanted);
});

each<[string, object, object, number, boolean]>([
  ["no success yet", {}, {}, 0, false],
  ["one is enough without completions", {}, { succeeded: 1 }, 0, true],
  ["pods that run are waited for", {}, { succeeded: 1 }, 1, false],
  ["all completions", { completions: 2 }, { succeeded: 2 }, 0, true],
  ["one is missing", { completions: 2 }, { succeeded: 1 }, 0, false],
  ["none are needed", { completions: 0 }, {}, 0, true],
])("completion: %s", (_, spec, status, active, isComplete) => {
  expect(completion(jobFacts(jobOf(spec, status), []), active) !== undefined).toBe(isComplete);
});
