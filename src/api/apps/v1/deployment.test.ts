import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { applyDefaults } from "../../../schema/language/defaults.ts";
import { normalise } from "../../../schema/language/normalise.ts";
import { At } from "../../../schema/language/report.ts";
import type { Draft } from "../../../schema/language/struct.ts";
import { expectRecorded, recordedCases } from "../../recorded.test-support.ts";
import { Deployment } from "./deployment.ts";

// Labels that were written as {} are shown as absent: the two are the same in memory.
const cases = recordedCases("deployments").filter(({ name }) => !name.endsWith("labels = {}"));

test.each(cases)("$name", (recorded) => {
  expectRecorded(Deployment, recorded);
});

function read(spec: object, rest: object = {}): Draft<Deployment> {
  const object = normalise(Deployment.struct, {
    kind: "Deployment",
    apiVersion: "apps/v1",
    metadata: { name: "d", namespace: "n", generation: 3 },
    spec: {
      selector: { matchLabels: { app: "a" } },
      template: {
        metadata: { labels: { app: "a" } },
        spec: { containers: [{ name: "c", image: "i:1" }] },
      },
      ...spec,
    },
    ...rest,
  })?.value as Draft<Deployment> | undefined;
  if (!object) throw new Error("not a deployment");
  applyDefaults(Deployment.struct, object);
  return object;
}
const errorsOf = (at: At) => at.errors.map(({ field, message }) => `${field}: ${message}`);
const rolling = (rollingUpdate: object) => ({ strategy: { rollingUpdate } });
const place = "spec.strategy.rollingUpdate";
const percent =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

each<[rule: string, spec: object, errors: readonly string[]]>([
  ["a selector and a template that match are enough", {}, []],
  [
    "numbers without a per cent sign are no share, but count",
    rolling({ maxUnavailable: "0", maxSurge: 0 }),
    [
      `${place}.maxUnavailable: Invalid value: "0": ${percent}`,
      `${place}.maxUnavailable: Invalid value: "0": may not be 0 when \`maxSurge\` is 0`,
    ],
  ],
  ["more than all may be made at once", rolling({ maxSurge: "150%" }), []],
  [
    "neither number is negative",
    rolling({ maxUnavailable: -1, maxSurge: -2 }),
    [
      `${place}.maxUnavailable: Invalid value: -1: must be greater than or equal to 0`,
      `${place}.maxSurge: Invalid value: -2: must be greater than or equal to 0`,
    ],
  ],
  [
    "pods that are all replaced at once have no pace",
    { strategy: { type: "Recreate", rollingUpdate: {} } },
    [`${place}: Forbidden: may not be specified when strategy \`type\` is 'Recreate'`],
  ],
  [
    "an unknown strategy is shown as a whole",
    { strategy: { type: "Slow", rollingUpdate: { maxSurge: 1 } } },
    [
      'spec.strategy: Unsupported value: {"Type":"Slow","RollingUpdate":{"MaxUnavailable":0,"MaxSurge":1}}: supported values: "Recreate", "RollingUpdate"',
    ],
  ],
  [
    "pods run for ever",
    {
      template: {
        metadata: { labels: { app: "a" } },
        spec: {
          restartPolicy: "Never",
          activeDeadlineSeconds: 5,
          containers: [{ name: "c", image: "i:1" }],
        },
      },
    },
    [
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported",
    ],
  ],
])("Deployment: %s", (_, spec, errors) => {
  const at = At.root();
  Deployment.validateCreate(read(spec), at);
  expect(errorsOf(at)).toEqual(errors);
});

each<[rule: string, status: object, old: object, errors: readonly string[]]>([
  ["the collisions are counted up", { collisionCount: 2 }, { collisionCount: 1 }, []],
  [
    "the collisions are never counted down",
    {},
    { collisionCount: 1 },
    ["status.collisionCount: Invalid value: 0: cannot be decremented"],
  ],
  [
    "no part is larger than the whole",
    { replicas: 1, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 3 },
    {},
    [
      "status.updatedReplicas: Invalid value: 2: cannot be greater than status.replicas",
      "status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas",
      "status.availableReplicas: Invalid value: 3: cannot be greater than status.replicas",
      "status.availableReplicas: Invalid value: 3: cannot be greater than readyReplicas",
    ],
  ],
  [
    "numbers are not negative",
    { observedGeneration: -1, terminatingReplicas: -1 },
    {},
    [
      "status.observedGeneration: Invalid value: -1: must be greater than or equal to 0",
      "status.terminatingReplicas: Invalid value: -1: must be greater than or equal to 0",
    ],
  ],
])("Deployment status: %s", (_, status, old, errors) => {
  const at = At.root();
  const metadata = { name: "d", namespace: "n", resourceVersion: "1" };
  Deployment.validateStatusUpdate(
    read({}, { metadata, status }),
    read({}, { metadata, status: old }),
    at,
  );
  expect(errorsOf(at)).toEqual(errors);
});

each<[rule: string, change: (deployment: Draft<Deployment>) => void, generation: number]>([
  ["a change of the spec counts", ({ spec }) => Object.assign(spec, { replicas: 5 }), 4],
  [
    "a change of annotations counts",
    ({ metadata }) => Object.assign(metadata, { annotations: { a: "b" } }),
    4,
  ],
  [
    "empty maps where there were none do not count",
    ({ metadata, spec }) => {
      metadata.annotations = {};
      spec.template.spec.nodeSelector = {};
    },
    3,
  ],
  [
    "a change of labels or status does not",
    ({ metadata, status }) => {
      metadata.labels = { a: "b" };
      status.replicas = 7;
    },
    3,
  ],
])("Deployment generation: %s", (_, change, generation) => {
  const object = read({});
  change(object);
  const strategy = Deployment.strategy as typeof Deployment.strategy & {
    prepareUpdate(object: unknown, old: unknown): void;
  };
  strategy.prepareUpdate(object as never, read({}) as never);
  expect([object.metadata.generation, object.status]).toEqual([generation, {}]);
});

test("Deployment warnings: a name that is no label, and only at creation", () => {
  const named = () => read({}, { metadata: { name: "a.b", generation: 1 } });
  const warn = Deployment.strategy.warnings as (object: unknown, old?: unknown) => unknown;
  expect([warn(named()), warn(named(), named())]).toEqual([
    [
      "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
    ],
    [],
  ]);
});

test("Deployment columns: a row", () => {
  const object = read(
    {
      replicas: 3,
      selector: { matchExpressions: [{ key: "app", operator: "In", values: ["b", "a"] }] },
    },
    { status: { replicas: 3, readyReplicas: 2, updatedReplicas: 1 } },
  );
  const cells = Deployment.columns.map(({ name, cell }) => [
    name,
    cell(object as never, { now: 0 }),
  ]);
  expect(cells).toEqual([
    ["Name", "d"],
    ["Ready", "2/3"],
    ["Up-to-date", 1],
    ["Available", 0],
    ["Age", "<unknown>"],
    ["Containers", "c"],
    ["Images", "i:1"],
    ["Selector", "app in (a,b)"],
  ]);
});
