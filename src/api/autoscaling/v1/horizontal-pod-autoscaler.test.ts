import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { canonicalise } from "../../../schema/language/normalise.ts";
import { created, read } from "../../kind.test-support.ts";
import { write } from "../../write.test-support.ts";
import { HorizontalPodAutoscaler as StoredKind } from "../v2/horizontal-pod-autoscaler.ts";
import { HorizontalPodAutoscaler } from "./horizontal-pod-autoscaler.ts";
import { fromStored, toStored } from "./horizontal-pod-autoscaler-conversion.ts";

const prefix = "autoscaling.alpha.kubernetes.io";
const base = {
  scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
  maxReplicas: 3,
};
const cpu = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } },
};
const pods = {
  type: "Pods",
  pods: { metric: { name: "a<b" }, target: { type: "AverageValue", averageValue: "1k" } },
};
const object = {
  type: "Object",
  object: {
    describedObject: { kind: "Service", name: "s" },
    target: { type: "AverageValue", averageValue: "2" },
    metric: { name: "hits", selector: { matchLabels: { a: "b" } } },
  },
};
const external = {
  type: "External",
  external: { metric: { name: "q" }, target: { type: "Value", value: "3" } },
};
const container = {
  type: "ContainerResource",
  containerResource: {
    name: "memory",
    target: { type: "AverageValue", averageValue: "5Mi" },
    container: "c",
  },
};
const memory = {
  type: "Resource",
  resource: { name: "memory", target: { type: "AverageValue", averageValue: "5Mi" } },
};
const stored = (spec: object, rest: object = {}) =>
  read(StoredKind, { spec: { ...base, ...spec }, ...rest }) as StoredKind;
const annotationsOf = (spec: object, rest: object = {}) =>
  fromStored(stored(spec, rest)).metadata.annotations;

test("HorizontalPodAutoscaler v1: CPU is a field, other metrics an annotation", () => {
  const { spec, metadata } = fromStored(stored({ metrics: [pods, cpu] }));
  expect([spec.targetCPUUtilizationPercentage, metadata.annotations]).toEqual([
    60,
    {
      [`${prefix}/metrics`]:
        '[{"type":"Pods","pods":{"metricName":"a\\u003cb","targetAverageValue":"1k"}}]',
    },
  ]);
});

test("HorizontalPodAutoscaler v1: behaviour is annotated as it stands in memory", () => {
  const rules = { selectPolicy: "Max", policies: [{ type: "Pods", value: 1, periodSeconds: 2 }] };
  const behavior = { scaleUp: { ...rules, stabilizationWindowSeconds: 0 }, scaleDown: rules };
  const shown =
    '"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":1,"PeriodSeconds":2}],"Tolerance":null}';
  expect(annotationsOf({ metrics: [cpu], behavior })).toEqual({
    [`${prefix}/behavior`]: `{"ScaleUp":{"StabilizationWindowSeconds":0,${shown},"ScaleDown":{"StabilizationWindowSeconds":null,${shown}}`,
  });
});

test("HorizontalPodAutoscaler v1: what is seen is annotated", () => {
  const status = {
    currentMetrics: [
      { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 5 } } },
    ],
    conditions: [{ type: "AbleToScale", status: "True" }],
  };
  const object = fromStored(stored({ metrics: [cpu] }, { status }));
  expect([object.status.currentCPUUtilizationPercentage, object.metadata.annotations]).toEqual([
    5,
    {
      [`${prefix}/conditions`]:
        '[{"type":"AbleToScale","status":"True","lastTransitionTime":null}]',
      [`${prefix}/current-metrics`]:
        '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":5,"currentAverageValue":"0"}}]',
    },
  ]);
});

each<[what: string, body: object]>([
  ["metrics, of which that of CPU goes last", { metrics: [object, pods, external, memory, cpu] }],
  ["metrics without CPU", { metrics: [container] }],
  ["behaviour", { metrics: [cpu], behavior: { scaleUp: { tolerance: "50m" } } }],
])("HorizontalPodAutoscaler v1: nothing of v2 is lost: %s", (_, spec) => {
  const before = stored(spec, { metadata: { annotations: { mine: "a" } } });
  const after = toStored(canonical(fromStored(before)));
  expect(canonicalise(StoredKind.struct, after)).toEqual(canonicalise(StoredKind.struct, before));
});

test("HorizontalPodAutoscaler v1: what is seen of v2 is not lost", () => {
  const status = {
    currentReplicas: 2,
    desiredReplicas: 3,
    currentMetrics: [
      {
        type: "Object",
        object: {
          metric: { name: "m" },
          current: { value: "1", averageValue: "2" },
          describedObject: { kind: "Service", name: "s" },
        },
      },
      { type: "Pods", pods: { metric: { name: "m" }, current: { averageValue: "3" } } },
      {
        type: "ContainerResource",
        containerResource: { name: "cpu", current: { averageValue: "1m" }, container: "c" },
      },
      { type: "External", external: { metric: { name: "m" }, current: { value: "4" } } },
    ],
    conditions: [
      { type: "ScalingActive", status: "False", lastTransitionTime: "2026-01-01T00:00:00Z" },
    ],
  };
  const before = stored({ metrics: [cpu] }, { status });
  const after = toStored(canonical(fromStored(before)));
  expect(canonicalise(StoredKind.struct, after)).toEqual(canonicalise(StoredKind.struct, before));
});

const canonical = (autoscaler: unknown) =>
  canonicalise(HorizontalPodAutoscaler.struct, autoscaler) as HorizontalPodAutoscaler;
const written = (annotations: object, spec: object = {}) =>
  toStored(
    read(HorizontalPodAutoscaler, { metadata: { annotations }, spec: { ...base, ...spec } }),
  );

each<[rule: string, annotations: object, utilization: readonly number[]]>([
  ["without anything, 80 per cent of CPU", {}, [80]],
  ["an annotation that cannot be read is as none", { [`${prefix}/metrics`]: "[{]" }, [80]],
  ["one with other types neither", { [`${prefix}/metrics`]: '[{"type":5}]' }, [80]],
  ["a list of none neither", { [`${prefix}/metrics`]: "[]" }, [80]],
])("HorizontalPodAutoscaler v1: %s", (_, annotations, utilization) => {
  const { spec, metadata } = written(annotations);
  expect(spec.metrics?.map(({ resource }) => resource?.target.averageUtilization)).toEqual(
    utilization,
  );
  expect(metadata.annotations).toBe(undefined);
});

test("HorizontalPodAutoscaler v1: behaviour without rules is none", () => {
  expect(written({ [`${prefix}/behavior`]: "{}" }).spec.behavior).toBe(undefined);
});

test("HorizontalPodAutoscaler v1: errors are those of v2, where the annotation is wrong too", () => {
  const annotations = { [`${prefix}/metrics`]: '[{"type":"Pods"}]' };
  const spec = { ...base, targetCPUUtilizationPercentage: 0 };
  expect(created(HorizontalPodAutoscaler, { metadata: { annotations }, spec })).toEqual([
    "spec.metrics[0].pods: Required value: must populate information for the given metric source",
    "spec.metrics[1].resource.target.averageUtilization: Invalid value: 0: must be greater than 0",
  ]);
});

test("HorizontalPodAutoscaler v1: an update keeps what was seen, in annotations too", () => {
  const conditions = '[{"type":"AbleToScale","status":"True","lastTransitionTime":null}]';
  const old = read(HorizontalPodAutoscaler, {
    metadata: { annotations: { [`${prefix}/conditions`]: conditions } },
    spec: base,
    status: { currentReplicas: 2, desiredReplicas: 2 },
  });
  const now = read(HorizontalPodAutoscaler, {
    metadata: { annotations: { mine: "a" } },
    spec: base,
  });
  HorizontalPodAutoscaler.strategy.prepareUpdate?.(now as never, old as never, write);
  expect([now.metadata.annotations, now.status.currentReplicas]).toEqual([
    { [`${prefix}/conditions`]: conditions, mine: "a" },
    2,
  ]);
});
