import { expect } from "vitest";
import { each } from "../../../../test/each.ts";
import { statusFaults, template } from "../../apps/v1/workload.test-support.ts";
import { Job } from "./job.ts";

const spec = (change: object = {}) => ({
  template: template({ restartPolicy: "Never" }),
  ...change,
});
const indexed = {
  completionMode: "Indexed",
  completions: 5,
  parallelism: 2,
  backoffLimitPerIndex: 1,
};
const is = (...types: readonly string[]) => types.map((type) => ({ type, status: "True" }));
const started = { startTime: "2020-01-01T00:00:00Z" };
const complete = {
  ...started,
  completionTime: "2020-01-01T00:00:01Z",
  conditions: is("SuccessCriteriaMet", "Complete"),
};
const failed = { ...started, conditions: is("FailureTarget", "Failed") };

interface Case {
  readonly spec?: object;
  readonly old?: object;
  readonly status: object;
}

each<[rule: string, given: Case, errors: readonly string[]]>([
  ["success in the right order is fine", { status: complete, old: started }, []],
  ["failure in the right order is fine", { status: failed, old: started }, []],
  [
    "no count is negative",
    { status: { active: -1, terminating: -1 } },
    [
      "status.active: Invalid value: -1: must be greater than or equal to 0",
      "status.terminating: Invalid value: -1: must be greater than or equal to 0",
    ],
  ],
  [
    "pods are counted once",
    { status: { uncountedTerminatedPods: { succeeded: ["a", ""], failed: ["a"] } } },
    [
      'status.uncountedTerminatedPods.succeeded[1]: Invalid value: "": must not be empty',
      'status.uncountedTerminatedPods.failed[0]: Duplicate value: "a"',
    ],
  ],
  [
    "who succeeds has an end, after its start",
    { status: { ...complete, completionTime: "2019-01-01T00:00:00Z" }, old: started },
    [
      'status.completionTime: Invalid value: "2019-01-01T00:00:00Z": must be equal to or after `startTime`',
    ],
  ],
  [
    "an end needs success",
    { status: { completionTime: "2020-01-01T00:00:00Z" } },
    [
      'status.completionTime: Invalid value: "2020-01-01T00:00:00Z": cannot set completionTime when there is no Complete=True condition',
    ],
  ],
  [
    "a finished job has no pods left in any count",
    {
      status: {
        ...failed,
        active: 1,
        terminating: 1,
        uncountedTerminatedPods: { failed: ["a"] },
      },
    },
    [
      "status.active: Invalid value: 1: active>0 is invalid for finished job",
      'status.uncountedTerminatedPods: Invalid value: {"Succeeded":null,"Failed":["a"]}: must be empty for finished job',
      "status.terminating: Invalid value: 1: terminating>0 is invalid for finished job",
    ],
  ],
  [
    "what is wrong already, and does not change, may stay",
    { status: { ...failed, active: 1 }, old: { ...failed, active: 1 } },
    [],
  ],
  [
    "a held job without aims may finish before it starts",
    {
      spec: { suspend: true, completions: 0 },
      status: { ...complete, startTime: undefined },
    },
    [],
  ],
  [
    "indexes are well formed, and either succeed or fail",
    { spec: indexed, status: { completedIndexes: "0-2", failedIndexes: "2,9" } },
    [
      'status.failedIndexes: Invalid value: "2,9": error parsing failedIndexes: too large index: "9"',
      'status.failedIndexes: Invalid value: "2,9": failedIndexes and completedIndexes overlap at index: 2',
    ],
  ],
  [
    "a job without indexes has none that succeed or fail",
    { status: { completedIndexes: "0", failedIndexes: "" } },
    [
      'status.completedIndexes: Invalid value: "0": cannot set non-empty completedIndexes when non-indexed completion mode',
      'status.failedIndexes: Invalid value: "": cannot set non-null failedIndexes when backoffLimitPerIndex is null',
    ],
  ],
  [
    "no more pods are ready than there are",
    { status: { ready: 2, active: 1 } },
    ["status.ready: Invalid value: 2: cannot set more ready pods than active"],
  ],
  [
    "success and failure exclude each other",
    { status: { conditions: is("SuccessCriteriaMet", "FailureTarget") } },
    [
      "status.conditions: Invalid value: cannot set SuccessCriteriaMet=True and FailureTarget=true conditions",
    ],
  ],
  [
    "an end is an end",
    { status: started, old: { ...failed, failed: 1 } },
    [
      "status.conditions: Invalid value: cannot disable the terminal Failed=True condition",
      "status.conditions: Invalid value: cannot disable the terminal FailureTarget=True condition",
      "status.failed: Invalid value: 0: cannot decrease the failed counter",
    ],
  ],
  [
    "successes do not become fewer",
    { spec: indexed, status: { succeeded: 1 }, old: { succeeded: 2 } },
    ["status.succeeded: Invalid value: 1: cannot decrease the succeeded counter"],
  ],
  [
    "unless the job can shrink",
    { spec: { ...indexed, parallelism: 5 }, status: { succeeded: 1 }, old: { succeeded: 2 } },
    [],
  ],
  [
    "the start of a running job does not change",
    { status: {}, old: started },
    ["status.startTime: Invalid value: null: field is immutable for unsuspended job once set"],
  ],
  [
    "unless it resumes",
    {
      status: {
        startTime: "2021-01-01T00:00:00Z",
        conditions: [{ type: "Suspended", status: "False" }],
      },
      old: { ...started, conditions: is("Suspended") },
    },
    [],
  ],
  [
    "the end does not change, nor that the aim was reached",
    {
      status: { ...complete, completionTime: "2020-01-01T00:00:02Z", conditions: is("Complete") },
      old: complete,
    },
    [
      "status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
      'status.completionTime: Invalid value: "2020-01-01T00:00:02Z": field is immutable',
      "status.conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition",
    ],
  ],
])("Job status: %s", (_, given, errors) => {
  const object = { spec: spec(given.spec), status: given.status };
  expect(statusFaults(Job, object, given.old)).toEqual(errors);
});
