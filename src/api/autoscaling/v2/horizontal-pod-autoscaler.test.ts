import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { cellsOf, created, read, statusUpdated, updated } from "../../kind.test-support.ts";
import { HorizontalPodAutoscaler } from "./horizontal-pod-autoscaler.ts";

const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
const base = { scaleTargetRef, maxReplicas: 3 };
const measuring = (...metrics: object[]) => ({ ...base, metrics });
const target = (rest: object = { averageUtilization: 50 }) => ({ type: "Utilization", ...rest });
const at = "spec.metrics[0]";
const either = "must set either a target raw value or a target utilization";

each<[rule: string, spec: object, errors: readonly string[]]>([
  ["a target and a greatest number are enough", base, []],
  [
    "a greatest number of none is not given",
    { scaleTargetRef },
    [
      "spec.maxReplicas: Required value: must be set and greater than 0",
      "spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`",
    ],
  ],
  [
    "a greatest number below zero is no number",
    { ...base, maxReplicas: -1 },
    [
      "spec.maxReplicas: Invalid value: -1: must be greater than or equal to 1",
      "spec.maxReplicas: Invalid value: -1: must be greater than or equal to `minReplicas`",
    ],
  ],
  [
    "replication controllers have no group",
    { ...base, scaleTargetRef: { apiVersion: "v1", kind: "ReplicationController", name: "r" } },
    [],
  ],
  [
    "a version has at most one slash",
    { ...base, scaleTargetRef: { ...scaleTargetRef, apiVersion: "a/b/c" } },
    [
      'spec.scaleTargetRef.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    ],
  ],
  [
    "a metric is of a kind, which is told twice",
    measuring({ type: "Mood" }),
    [
      `${at}.type: Unsupported value: "Mood": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"`,
      `${at}.type: Unsupported value: "Mood": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"`,
    ],
  ],
  [
    "of two sources only the first is looked at",
    measuring({ type: "Resource", resource: {}, external: { metric: { name: "a/b" } } }),
    [
      `${at}.external.metric.name: Invalid value: "a/b": may not contain '/'`,
      `${at}.external.target.type: Required value: must specify a metric target type`,
      `${at}.external.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue`,
      `${at}.external.target.averageValue: Required value: must set either a target value for metric or a per-pod target`,
      `${at}.external: Forbidden: must populate the given metric source only`,
    ],
  ],
  [
    "external metrics have a value, or one for each pod",
    measuring({
      type: "External",
      external: { metric: { name: "q" }, target: { type: "Value", value: 1, averageValue: 1 } },
    }),
    [
      `${at}.external.target.value: Forbidden: may not set both a target value for metric and a per-pod target`,
    ],
  ],
  [
    "objects that a metric is of may be of the core group",
    measuring({
      type: "Object",
      object: {
        describedObject: { kind: "Service", name: "s", apiVersion: "v1" },
        metric: { name: "m" },
        target: { type: "Value", value: "-1" },
      },
    }),
    [`${at}.object.target.value: Invalid value: "-1": must be positive`],
  ],
  [
    "containers have the names of containers, and resources those of theirs",
    measuring({
      type: "ContainerResource",
      containerResource: { name: "gold", container: "A", target: target({}) },
    }),
    [
      `${at}.containerResource.name: Invalid value: "gold": must be a standard resource type or fully qualified`,
      `${at}.containerResource.name: Invalid value: "gold": must be a standard resource for containers`,
      `${at}.containerResource.container: Invalid value: "A": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
      `${at}.containerResource.target.averageUtilization: Required value: ${either}`,
    ],
  ],
  [
    "rules for scaling have bounds",
    {
      ...base,
      behavior: {
        scaleUp: { stabilizationWindowSeconds: 3601, selectPolicy: "Mean", tolerance: "-1m" },
        scaleDown: { stabilizationWindowSeconds: -1, policies: [{ type: "Pods", value: 1 }] },
      },
    },
    [
      "spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600",
      'spec.behavior.scaleUp.selectPolicy: Unsupported value: "Mean": supported values: "Disabled", "Max", "Min"',
      'spec.behavior.scaleUp.tolerance: Invalid value: "-1m": must be greater than or equal to 0',
      "spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: -1: must be greater than or equal to zero",
      "spec.behavior.scaleDown.policies[0].periodSeconds: Invalid value: 0: must be greater than zero",
    ],
  ],
])("HorizontalPodAutoscaler: %s", (_, spec, errors) => {
  expect(created(HorizontalPodAutoscaler, { spec })).toEqual(errors);
});

const withTarget = (apiVersion: string, rest: object = {}) => ({
  spec: { ...base, scaleTargetRef: { ...scaleTargetRef, apiVersion }, ...rest },
});
const aboutObject = (apiVersion: string) => ({
  spec: measuring({
    type: "Object",
    object: {
      describedObject: { kind: "Service", name: "s", apiVersion },
      metric: { name: "m" },
      target: { type: "Value", value: "1" },
    },
  }),
});

each<[rule: string, old: object, now: object, errors: readonly string[]]>([
  ["a version that was wrong may stay", withTarget("v1"), withTarget("v1", { maxReplicas: 4 }), []],
  [
    "it may not change into another that is wrong",
    withTarget("v1"),
    withTarget("v2"),
    ['spec.scaleTargetRef.apiVersion: Invalid value: "v2": apiVersion must specify API group'],
  ],
  [
    "a least number of none may stay, with metrics that do not come from pods",
    { spec: { ...base, minReplicas: 0 } },
    { spec: { ...base, minReplicas: 0 } },
    [
      "spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas",
    ],
  ],
  ["objects of versions that were wrong may stay", aboutObject("a/b/c"), aboutObject("d/e/f"), []],
  [
    "objects of versions that were right may not turn wrong",
    aboutObject("v1"),
    aboutObject("d/e/f"),
    [
      `${at}.object.describedObject.apiVersion: Invalid value: "d/e/f": unexpected GroupVersion string: d/e/f`,
    ],
  ],
])("HorizontalPodAutoscaler: %s", (_, old, now, errors) => {
  expect(updated(HorizontalPodAutoscaler, old, now)).toEqual(errors);
});

test("HorizontalPodAutoscaler: numbers in the status are not negative", () => {
  const status = { currentReplicas: -1, desiredReplicas: -2 };
  expect(statusUpdated(HorizontalPodAutoscaler, { spec: base }, { spec: base, status })).toEqual([
    "status.currentReplicas: Invalid value: -1: must be greater than or equal to 0",
    "status.desiredReplicas: Invalid value: -2: must be greater than or equal to 0",
  ]);
});

test("HorizontalPodAutoscaler: defaults fill up the rules that are given", () => {
  const spec = { ...base, behavior: { scaleDown: { stabilizationWindowSeconds: 5 } } };
  expect(read(HorizontalPodAutoscaler, { spec }).spec.behavior).toEqual({
    scaleUp: {
      stabilizationWindowSeconds: 0,
      selectPolicy: "Max",
      policies: [
        { type: "Pods", value: 4, periodSeconds: 15 },
        { type: "Percent", value: 100, periodSeconds: 15 },
      ],
    },
    scaleDown: {
      stabilizationWindowSeconds: 5,
      selectPolicy: "Max",
      policies: [{ type: "Percent", value: 100, periodSeconds: 15 }],
    },
  });
});

test("HorizontalPodAutoscaler: annotations that only v1 needs are dropped", () => {
  const annotations = { "autoscaling.alpha.kubernetes.io/metrics": "[]", mine: "a" };
  const { metadata } = read(HorizontalPodAutoscaler, { metadata: { annotations }, spec: base });
  expect(metadata.annotations).toEqual({ mine: "a" });
});

const cpu = (averageUtilization?: number) => ({
  type: "Resource",
  resource: { name: "cpu", target: target({ averageUtilization }) },
});
const external = (metric: object) => ({
  type: "External",
  external: { metric: { name: "q" }, target: { type: "Value", ...metric } },
});

each<[rule: string, metrics: object[], status: object[], cell: string]>([
  ["a metric that is not known yet", [cpu(60)], [], "cpu: <unknown>/60%"],
  [
    "totals and averages",
    [external({ value: "5" }), external({ averageValue: "7" })],
    [
      { type: "External", external: { metric: { name: "q" }, current: { value: "1" } } },
      { type: "External", external: { metric: { name: "q" }, current: { averageValue: "2" } } },
    ],
    "1/5, 2/7 (avg)",
  ],
  [
    "a total where only the average is known",
    [external({ value: "5" })],
    [{ type: "External", external: { metric: { name: "q" }, current: { averageValue: "2" } } }],
    "<nil>/5",
  ],
  [
    "more than two",
    [cpu(1), cpu(2), cpu(3)],
    [],
    "cpu: <unknown>/1%, cpu: <unknown>/2% + 1 more...",
  ],
])("HorizontalPodAutoscaler: in a table, %s", (_, metrics, currentMetrics, cell) => {
  const body = { spec: measuring(...metrics), status: { currentMetrics } };
  expect(cellsOf(HorizontalPodAutoscaler, body)[1]).toEqual(cell);
});
