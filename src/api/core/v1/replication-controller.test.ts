import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import {
  cellsOf,
  created,
  createFaults,
  read,
  statusFaults,
  template,
  updateFaults,
} from "../../apps/v1/workload.test-support.ts";
import { ReplicationController } from "./replication-controller.ts";

const controller = (spec: object = {}, metadata: object = {}) => ({
  metadata,
  spec: { template: template(), ...spec },
});

test("ReplicationController: the template's labels are its selector and its own, where it has none", () => {
  const { metadata, spec } = created(ReplicationController, controller());
  const given = created(
    ReplicationController,
    controller({ selector: { x: "y" } }, { labels: { l: "m" } }),
  );
  expect([metadata.labels, spec.selector, given.metadata.labels, given.spec.selector]).toEqual([
    { app: "a" },
    { app: "a" },
    { l: "m" },
    { x: "y" },
  ]);
});

each<[rule: string, spec: object, errors: readonly string[]]>([
  ["a template is enough", {}, []],
  [
    "without one there is nothing to do",
    { template: undefined },
    ["spec.selector: Required value", "spec.template: Required value"],
  ],
  [
    "a selector that selects other pods is refused",
    { selector: { app: "b" } },
    [
      'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
    ],
  ],
  [
    "numbers are reported around the selector",
    { minReadySeconds: -1, replicas: -1, template: template({}, {}) },
    [
      "spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0",
      "spec.selector: Required value",
      "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
    ],
  ],
  [
    "its pods are always restarted, and never run for a while",
    { template: template({ restartPolicy: "Never", activeDeadlineSeconds: 1 }) },
    [
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      "spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicationController is not Supported",
    ],
  ],
])("ReplicationController: %s", (_, spec, errors) => {
  expect(createFaults(ReplicationController, controller(spec))).toEqual(errors);
});

each<[rule: string, key: string, errors: readonly string[]]>([
  [
    "a selector that could not be converted stays",
    "selector",
    ['spec.selector: Invalid value: {"app":"b"}: cannot update non-convertible selector'],
  ],
  ["other fields are not known", "x", ['x: Not found: "why": unknown non-convertible field']],
])("ReplicationController update: %s", (_, key, errors) => {
  const annotations = { [`non-convertible.kubernetes.io/${key}`]: "why" };
  const old = created(ReplicationController, controller({}, { annotations }));
  const given = controller({ selector: { app: "b" }, template: template({}, { app: "b" }) });
  expect(updateFaults(ReplicationController, old, given)).toEqual(errors);
});

test("ReplicationController: its name is looked at, what it was generated from is not", () => {
  const given = { generateName: "A_", name: "x".repeat(254) };
  expect(createFaults(ReplicationController, controller({}, given))).toEqual([
    `metadata.name: Invalid value: "${given.name}": must be no more than 253 bytes`,
  ]);
});

test("ReplicationController update: the selector may change with the template", () => {
  const old = created(ReplicationController, controller());
  const given = controller({ template: template({}, { app: "b" }) });
  expect(updateFaults(ReplicationController, old, given)).toEqual([]);
});

test("ReplicationController status: no part is larger than the whole", () => {
  const status = { replicas: 1, readyReplicas: 2, observedGeneration: -1 };
  expect(statusFaults(ReplicationController, { ...controller(), status })).toEqual([
    "status.observedGeneration: Invalid value: -1: must be greater than or equal to 0",
    "status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas",
  ]);
});

test("ReplicationController warnings: an update tells of the template as it was", () => {
  const warned = template({
    hostNetwork: true,
    containers: [{ name: "c", image: "i", ports: [{ containerPort: 1 }, { containerPort: 1 }] }],
  });
  const before = created(ReplicationController, controller({ template: warned }, { name: "a.b" }));
  const after = { ...before, metadata: { ...before.metadata, generation: 2 } };
  const warnings = (old?: unknown, now: unknown = before) =>
    ReplicationController.strategy.warnings?.(now as never, old as never) ?? [];
  const plain = { ...after, spec: created(ReplicationController, controller()).spec };
  expect([warnings().length, warnings(before).length, warnings(before, plain).length]).toEqual([
    2, 0, 1,
  ]);
});

test("ReplicationController columns: one without a template has no containers to show", () => {
  const object = read(ReplicationController, {
    spec: { replicas: 2, selector: { b: "1", a: "2" } },
  });
  const cells = ["w", 2, 0, 0, "<unknown>", "", "", "a=2,b=1"];
  expect(cellsOf(ReplicationController, object)).toEqual(cells);
});
