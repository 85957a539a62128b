import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import {
  cellsOf,
  created,
  createFaults,
  read,
  template,
  updateFaults,
} from "../../apps/v1/workload.test-support.ts";
import { Job } from "./job.ts";

const pods = (spec: object = {}) => template({ restartPolicy: "Never", ...spec });
const job = (spec: object = {}, metadata: object = {}) => ({
  metadata,
  spec: { template: pods(), ...spec },
});
const indexed = (spec: object = {}) => job({ completionMode: "Indexed", completions: 4, ...spec });
const failing = (rule: object, spec: object = {}) =>
  indexed({ podFailurePolicy: { rules: [rule] }, ...spec });
const rule = "spec.podFailurePolicy.rules[0]";

each<[rule: string, spec: object, expected: object]>([
  ["a plain job runs one pod", {}, { completions: 1, parallelism: 1, backoffLimit: 6 }],
  ["a work queue has no aim", { parallelism: 2 }, { parallelism: 2, completions: undefined }],
  ["one pod at a time", { completions: 3 }, { completions: 3, parallelism: 1 }],
  ["failures count by index", { backoffLimitPerIndex: 1 }, { backoffLimit: 2147483647 }],
  ["pods are replaced at once", {}, { podReplacementPolicy: "TerminatingOrFailed" }],
  [
    "but not where failures are looked at",
    { podFailurePolicy: { rules: [] } },
    { podReplacementPolicy: "Failed" },
  ],
  ["zero is kept", { parallelism: 0 }, { parallelism: 0, completions: undefined }],
])("Job defaults: %s", (_, spec, expected) => {
  const filled = read(Job, job(spec)).spec as Readonly<Record<string, unknown>>;
  const shown = Object.fromEntries(Object.keys(expected).map((name) => [name, filled[name]]));
  expect(shown).toEqual(expected);
});

const generated = {
  "batch.kubernetes.io/controller-uid": "u",
  "batch.kubernetes.io/job-name": "w",
  "controller-uid": "u",
  "job-name": "w",
};
each<[rule: string, given: object, labels: object]>([
  ["takes over what its template is given", job(), { app: "a", ...generated }],
  ["and what its template gets", job({ template: template({}, {}) }), generated],
  ["keeps what it has", job({}, { labels: { x: "y" } }), { x: "y" }],
  [
    "gets nothing more where the client selects",
    job({ manualSelector: true, selector: { matchLabels: { app: "a" } } }),
    { app: "a" },
  ],
])("Job labels: a job %s", (_, given, labels) => {
  expect(created(Job, given as never).metadata.labels).toEqual(labels);
});

test("Job: pods are selected by the UID of the job", () => {
  const { spec } = created(Job, job());
  expect([spec.selector, spec.template.metadata.labels]).toEqual([
    { matchLabels: { "batch.kubernetes.io/controller-uid": "u" } },
    { app: "a", ...generated },
  ]);
});

each<[rule: string, given: object, errors: readonly string[]]>([
  ["a template is enough", job(), []],
  [
    "labels that the server makes are its own",
    job(
      { template: template({ restartPolicy: "Never" }, { "job-name": "x" }) },
      { labels: { a: "b" } },
    ),
    [
      'spec.template.metadata.labels[job-name]: Invalid value: {"batch.kubernetes.io/controller-uid":"u","batch.kubernetes.io/job-name":"w","controller-uid":"u","job-name":"x"}: must be \'w\'',
    ],
  ],
  [
    "a selector that the client did not want to write is made by the server",
    job({ selector: { matchLabels: { app: "a" } } }),
    [
      'spec.selector: Invalid value: {"matchLabels":{"app":"a","batch.kubernetes.io/controller-uid":"u"}}: `selector` not auto-generated',
    ],
  ],
  [
    "an indexed job has a number of indexes",
    job({ completionMode: "Indexed", parallelism: 1 }),
    ["spec.completions: Required value: when completion mode is Indexed"],
  ],
  [
    "the names of pods have room for the largest index",
    { ...indexed(), metadata: { name: "x".repeat(62) } },
    [
      `metadata.name: Invalid value: "${"x".repeat(62)}": will not able to create pod with invalid DNS label: ${"x".repeat(62)}-3`,
    ],
  ],
  [
    "very many indexes are tracked only if few may fail and run at once",
    indexed({ completions: 100_001, backoffLimitPerIndex: 1, parallelism: 10_001 }),
    [
      "spec.maxFailedIndexes: Required value: must be specified when completions is above 100000",
      "spec.parallelism: Invalid value: 10001: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index",
    ],
  ],
  [
    "no more indexes fail than there are",
    indexed({ backoffLimitPerIndex: 1, maxFailedIndexes: 5 }),
    ["spec.maxFailedIndexes: Invalid value: 5: must be less than or equal to completions"],
  ],
  [
    "a success policy has rules",
    indexed({ successPolicy: { rules: [] } }),
    [
      "spec.successPolicy.rules: Required value: at least one rules must be specified when the successPolicy is specified",
    ],
  ],
  [
    "a rule of success says something, and nothing that cannot be",
    indexed({ successPolicy: { rules: [{}, { succeededCount: 5 }, { succeededIndexes: "1-9" }] } }),
    [
      "spec.successPolicy.rules[0]: Required value: at least one of succeededCount or succeededIndexes must be specified",
      "spec.successPolicy.rules[1].succeededCount: Invalid value: 5: must be less than or equal to 4 (the number of specified completions)",
      'spec.successPolicy.rules[2].succeededIndexes: Invalid value: "1-9": error parsing succeededIndexes: too large index: "9"',
    ],
  ],
  [
    "a rule of failure needs an action",
    failing({ onPodConditions: [{ type: "DisruptionTarget" }] }),
    [`${rule}.action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]`],
  ],
  [
    "exit codes come once each",
    failing({ action: "Ignore", onExitCodes: { operator: "NotIn", values: [0, 3, 3] } }),
    [`${rule}.onExitCodes.values[2]: Duplicate value: 3`],
  ],
  [
    "there are not too many exit codes",
    failing({
      action: "Ignore",
      onExitCodes: { operator: "In", values: Array.from({ length: 256 }, (_, i) => i + 1) },
    }),
    [`${rule}.onExitCodes.values: Too many: 256: must have at most 255 items`],
  ],
  [
    "failures are looked at only where pods are not restarted in place",
    failing(
      { action: "FailJob", onExitCodes: { operator: "In", values: [1] } },
      { template: template({ restartPolicy: "OnFailure" }) },
    ),
    [
      'spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified',
    ],
  ],
  [
    "pods are then replaced once they have failed",
    failing(
      { action: "FailJob", onExitCodes: { operator: "In", values: [1] } },
      { podReplacementPolicy: "TerminatingOrFailed" },
    ),
    [
      'spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"',
    ],
  ],
  [
    "without anything, the pods are missing",
    {},
    [
      "spec.template.spec.containers: Required value",
      'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ],
  ],
])("Job: %s", (_, given, errors) => {
  expect(createFaults(Job, given as never)).toEqual(errors);
});

const manual = (spec: object = {}) =>
  job({ manualSelector: true, selector: { matchLabels: { app: "a" } }, ...spec });
const shortened = (fault: string) => fault.replace(/(Invalid value: )\{.*\}/, "$1…");
const held = { suspend: true };
const resources = (cpu: string) =>
  pods({ containers: [{ name: "c", image: "i:1", resources: { requests: { cpu } } }] });

each<[rule: string, from: object, to: object, errors: readonly string[]]>([
  ["how many run at once may change", {}, { parallelism: 9, completions: 1 }, []],
  [
    "a running job's pods do not",
    {},
    { template: resources("1") },
    ["spec.template: Invalid value: …: field is immutable"],
  ],
  ["a held job's resources may", held, { ...held, template: resources("1") }, []],
  ["and where its pods go", held, { ...held, template: pods({ nodeSelector: { a: "b" } }) }, []],
  [
    "also by affinity to nodes",
    { ...held, template: pods({ affinity: { nodeAffinity: {} } }) },
    held,
    [],
  ],
  [
    "but not to other pods",
    held,
    { ...held, template: pods({ affinity: { podAffinity: {} } }) },
    ["spec.template.spec: Invalid value: …: field is immutable"],
  ],
  [
    "nor its image",
    held,
    { ...held, template: pods({ containers: [{ name: "c", image: "i:2" }] }) },
    ["spec.template.spec: Invalid value: …: field is immutable"],
  ],
  [
    "an indexed job grows with what runs at once",
    { completionMode: "Indexed", completions: 2, parallelism: 2 },
    { completionMode: "Indexed", completions: 3, parallelism: 3 },
    [],
  ],
  [
    "who runs it does not change",
    {},
    { managedBy: "a.b/c" },
    ['spec.managedBy: Invalid value: "a.b/c": field is immutable'],
  ],
  [
    "nor does it lose its policy",
    { podFailurePolicy: { rules: [{ action: "Ignore", onPodConditions: [{ type: "a" }] }] } },
    {},
    ["spec.podFailurePolicy: Invalid value: null: field is immutable"],
  ],
])("Job update: %s", (_, from, to, errors) => {
  const old = created(Job, manual(from));
  expect(updateFaults(Job, old, manual(to)).map(shortened)).toEqual(errors);
});

test("Job update: a job that was started and is held again has its pods changed once they are gone", () => {
  const start = { startTime: "2020-01-01T00:00:00Z" };
  const suspended = { ...start, conditions: [{ type: "Suspended", status: "True" }] };
  const faults = (status: object) =>
    updateFaults(
      Job,
      read(Job, { ...manual(held), status }),
      manual({ ...held, template: resources("2") }),
    ).length;
  expect([faults(start), faults({ ...suspended, active: 1 }), faults(suspended)]).toEqual([
    1, 1, 0,
  ]);
});

test("Job warnings: very many indexes, and a name that is no label", () => {
  const given = indexed({ completions: 100_001, parallelism: 10_001 });
  const object = read(Job, { ...given, metadata: { name: "a.b" } });
  expect(Job.strategy.warnings?.(object as never, undefined)).toEqual([
    "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
    "spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail",
  ]);
});

const at = (seconds: number) => `1970-01-01T00:00:${String(seconds).padStart(2, "0")}Z`;
const is = (type: string, status = "True") => ({ type, status });
each<[rule: string, given: object, cells: readonly string[]]>([
  ["runs", {}, ["Running", "0/1", ""]],
  ["has no aim", { spec: { parallelism: 3 } }, ["Running", "0/1 of 3", ""]],
  ["has started", { status: { startTime: at(0) } }, ["Running", "0/1", "60s"]],
  [
    "is complete",
    {
      status: {
        startTime: at(0),
        completionTime: at(5),
        succeeded: 1,
        conditions: [is("Complete")],
      },
    },
    ["Complete", "1/1", "5s"],
  ],
  [
    "is held",
    { status: { conditions: [is("Complete", "False"), is("Suspended")] } },
    ["Suspended", "0/1", ""],
  ],
  [
    "is about to fail",
    { status: { conditions: [is("FailureTarget")] } },
    ["FailureTarget", "0/1", ""],
  ],
  [
    "goes",
    { metadata: { deletionTimestamp: at(0) }, status: { conditions: [is("Suspended")] } },
    ["Terminating", "0/1", ""],
  ],
])("Job columns: of a job that %s", (_, given: { spec?: object }, cells) => {
  const object = read(Job, { ...given, spec: { template: pods(), ...given.spec } });
  expect(cellsOf(Job, object, 60_000).slice(1, 4)).toEqual(cells);
});
