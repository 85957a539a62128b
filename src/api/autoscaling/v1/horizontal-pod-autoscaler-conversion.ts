import { goJson } from "../../../schema/json/go-json.ts";
import { canonicalise, normalise } from "../../../schema/language/normalise.ts";
import type { Struct } from "../../../schema/language/struct.ts";
import { internalForm } from "../../meta/v1/internal-form.ts";
import type { ObjectMeta } from "../../meta/v1/object-meta.ts";
import {
  behaviorAnnotation,
  conditionsAnnotation,
  metricSpecsAnnotation,
  metricStatusesAnnotation,
  ownAnnotations,
} from "../v2/annotations.ts";
import type { HorizontalPodAutoscaler as Stored } from "../v2/horizontal-pod-autoscaler.ts";
import {
  cpuUtilization,
  defaultCpuUtilization,
  HorizontalPodAutoscalerBehavior,
  HorizontalPodAutoscalerCondition,
} from "../v2/horizontal-pod-autoscaler-spec.ts";
import type { MetricSpec, MetricStatus } from "../v2/metric.ts";
import {
  MetricSpec as AnnotatedSpec,
  MetricStatus as AnnotatedStatus,
} from "./annotated-metric.ts";
import type {
  HorizontalPodAutoscalerSpec,
  HorizontalPodAutoscalerStatus,
} from "./horizontal-pod-autoscaler-spec.ts";
import {
  fromAnnotatedSpec,
  fromAnnotatedStatus,
  toAnnotatedSpec,
  toAnnotatedStatus,
} from "./metric-conversion.ts";

/** An autoscaler in the words of v1. */
export interface Autoscaler {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
  readonly spec: HorizontalPodAutoscalerSpec;
  readonly status: HorizontalPodAutoscalerStatus;
}

/** The same autoscaler in the words of v2: what v1 has in annotations becomes fields. */
export function toStored({ metadata, spec, status }: Autoscaler): Stored {
  const annotations = metadata.annotations ?? {};
  const cpu = spec.targetCPUUtilizationPercentage;
  const metrics = [
    ...(listIn(annotations[metricSpecsAnnotation], AnnotatedSpec)?.map(fromAnnotatedSpec) ?? []),
    ...(cpu === undefined ? [] : [cpuUtilization(cpu)]),
  ];
  const behavior = behaviorIn(annotations[behaviorAnnotation]);
  return {
    kind: "HorizontalPodAutoscaler",
    apiVersion: "autoscaling/v2",
    metadata: annotated(metadata, ownAnnotations(annotations)),
    spec: {
      scaleTargetRef: spec.scaleTargetRef,
      minReplicas: spec.minReplicas,
      maxReplicas: spec.maxReplicas,
      metrics: metrics.length > 0 ? metrics : [cpuUtilization(defaultCpuUtilization)],
      ...(behavior && { behavior }),
    },
    status: {
      observedGeneration: status.observedGeneration,
      lastScaleTime: status.lastScaleTime,
      currentReplicas: status.currentReplicas,
      desiredReplicas: status.desiredReplicas,
      currentMetrics:
        listIn(annotations[metricStatusesAnnotation], AnnotatedStatus)?.map(fromAnnotatedStatus) ??
        cpuStatus(status.currentCPUUtilizationPercentage),
      conditions: listIn(annotations[conditionsAnnotation], HorizontalPodAutoscalerCondition),
    },
  };
}

/** An autoscaler of v2 in the words of v1: what v1 has no fields for becomes annotations. */
export function fromStored({ metadata, spec, status }: Stored): Autoscaler {
  const currentMetrics = status.currentMetrics ?? [];
  const conditions = status.conditions ?? [];
  const others = (spec.metrics ?? []).filter((metric) => !isCpuUtilization(metric));
  const annotations = ownAnnotations(metadata.annotations);
  if (others.length > 0)
    annotations[metricSpecsAnnotation] = listText(AnnotatedSpec, others.map(toAnnotatedSpec));
  if (currentMetrics.length > 0)
    annotations[metricStatusesAnnotation] = listText(
      AnnotatedStatus,
      currentMetrics.map(toAnnotatedStatus),
    );
  if (spec.behavior)
    annotations[behaviorAnnotation] = goJson(
      internalForm(HorizontalPodAutoscalerBehavior, spec.behavior),
    );
  if (conditions.length > 0)
    annotations[conditionsAnnotation] = listText(HorizontalPodAutoscalerCondition, conditions);
  return {
    kind: "HorizontalPodAutoscaler",
    apiVersion: "autoscaling/v1",
    metadata: annotated(metadata, annotations),
    spec: {
      scaleTargetRef: spec.scaleTargetRef,
      minReplicas: spec.minReplicas,
      maxReplicas: spec.maxReplicas,
      targetCPUUtilizationPercentage:
        spec.metrics?.find(isCpuUtilization)?.resource?.target.averageUtilization,
    },
    status: {
      observedGeneration: status.observedGeneration,
      lastScaleTime: status.lastScaleTime,
      currentReplicas: status.currentReplicas ?? 0,
      desiredReplicas: status.desiredReplicas,
      currentCPUUtilizationPercentage:
        currentMetrics.findLast(isCpuStatus)?.resource?.current.averageUtilization,
    },
  };
}

const isCpuUtilization = ({ type, resource }: MetricSpec): boolean =>
  type === "Resource" &&
  resource?.name === "cpu" &&
  resource.target.averageUtilization !== undefined;

const isCpuStatus = ({ type, resource }: MetricStatus): boolean =>
  type === "Resource" &&
  resource?.name === "cpu" &&
  resource.current.averageUtilization !== undefined;

const cpuStatus = (averageUtilization: number | undefined): MetricStatus[] =>
  averageUtilization === undefined
    ? []
    : [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization } } }];

function annotated(metadata: ObjectMeta, annotations: Record<string, string>): ObjectMeta {
  const sorted = Object.entries(annotations).sort(([a], [b]) => (a < b ? -1 : 1));
  const { annotations: _, ...rest } = metadata;
  return sorted.length === 0 ? rest : { ...metadata, annotations: Object.fromEntries(sorted) };
}

/** The list that an annotation holds; none where it is not one of these. */
function listIn<T>(text: string | undefined, struct: Struct<T>): readonly T[] | undefined {
  const value = parsed(text);
  if (!Array.isArray(value)) return undefined;
  const items = value.map((item) => normalise(struct, item ?? {})?.value);
  return items.every((item) => item !== undefined) ? items : undefined;
}

/** The behaviour that an annotation holds, under the names that its fields have in Go. */
function behaviorIn(text: string | undefined): HorizontalPodAutoscalerBehavior | undefined {
  const behavior = normalise(HorizontalPodAutoscalerBehavior, uncapitalised(parsed(text)))?.value;
  return behavior?.scaleUp || behavior?.scaleDown ? behavior : undefined;
}

function uncapitalised(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(uncapitalised);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key.charAt(0).toLowerCase() + key.slice(1),
      uncapitalised(inner),
    ]),
  );
}

function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const listText = (struct: Struct, items: readonly unknown[]): string =>
  goJson(items.map((item) => canonicalise(struct, item)));
