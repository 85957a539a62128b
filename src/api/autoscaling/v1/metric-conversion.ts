import { isZeroQuantity, parseQuantity } from "../../../schema/values/quantity.ts";
import type { MetricSpec, MetricStatus } from "../v2/metric.ts";
import type {
  MetricSpec as AnnotatedSpec,
  MetricStatus as AnnotatedStatus,
} from "./annotated-metric.ts";

/** A metric to scale by as v1 writes it into an annotation. */
export function toAnnotatedSpec(spec: MetricSpec): AnnotatedSpec {
  const { type, object, pods, resource, containerResource, external } = spec;
  return {
    type,
    object: object && {
      target: object.describedObject,
      metricName: object.metric.name,
      targetValue: object.target.value ?? "0",
      selector: object.metric.selector,
      averageValue: object.target.averageValue,
    },
    pods: pods && {
      metricName: pods.metric.name,
      targetAverageValue: pods.target.averageValue ?? "0",
      selector: pods.metric.selector,
    },
    resource: resource && resourceSpec(resource),
    containerResource: containerResource && {
      ...resourceSpec(containerResource),
      container: containerResource.container,
    },
    external: external && {
      metricName: external.metric.name,
      metricSelector: external.metric.selector,
      targetValue: external.target.value,
      targetAverageValue: external.target.averageValue,
    },
  };
}

/** What an annotation of v1 says of a metric to scale by. */
export function fromAnnotatedSpec(spec: AnnotatedSpec): MetricSpec {
  const { type, object, pods, resource, containerResource, external } = spec;
  return {
    type,
    object: object && {
      describedObject: object.target,
      target: objectTarget(object),
      metric: { name: object.metricName, selector: object.selector },
    },
    pods: pods && {
      metric: { name: pods.metricName, selector: pods.selector },
      target: { type: "AverageValue", averageValue: pods.targetAverageValue },
    },
    resource: resource && { name: resource.name, target: resourceTarget(resource) },
    containerResource: containerResource && {
      name: containerResource.name,
      target: resourceTarget(containerResource),
      container: containerResource.container,
    },
    external: external && {
      metric: { name: external.metricName, selector: external.metricSelector },
      target: {
        type: external.targetValue === undefined ? "AverageValue" : "Value",
        value: external.targetValue,
        averageValue: external.targetAverageValue,
      },
    },
  };
}

/** What a metric is, as v1 writes it into an annotation. */
export function toAnnotatedStatus(status: MetricStatus): AnnotatedStatus {
  const { type, object, pods, resource, containerResource, external } = status;
  return {
    type,
    object: object && {
      target: object.describedObject,
      metricName: object.metric.name,
      currentValue: object.current.value ?? "0",
      selector: object.metric.selector,
      averageValue: object.current.averageValue,
    },
    pods: pods && {
      metricName: pods.metric.name,
      currentAverageValue: pods.current.averageValue ?? "0",
      selector: pods.metric.selector,
    },
    resource: resource && resourceStatus(resource),
    containerResource: containerResource && {
      ...resourceStatus(containerResource),
      container: containerResource.container,
    },
    external: external && {
      metricName: external.metric.name,
      metricSelector: external.metric.selector,
      currentValue: external.current.value ?? "0",
      currentAverageValue: external.current.averageValue,
    },
  };
}

/** What an annotation of v1 says of a metric at present. */
export function fromAnnotatedStatus(status: AnnotatedStatus): MetricStatus {
  const { type, object, pods, resource, containerResource, external } = status;
  return {
    type,
    object: object && {
      metric: { name: object.metricName, selector: object.selector },
      current: { value: object.currentValue, averageValue: object.averageValue },
      describedObject: object.target,
    },
    pods: pods && {
      metric: { name: pods.metricName, selector: pods.selector },
      current: { averageValue: pods.currentAverageValue },
    },
    resource: resource && { name: resource.name, current: resourceCurrent(resource) },
    containerResource: containerResource && {
      name: containerResource.name,
      current: resourceCurrent(containerResource),
      container: containerResource.container,
    },
    external: external && {
      metric: { name: external.metricName, selector: external.metricSelector },
      current: { value: external.currentValue, averageValue: external.currentAverageValue },
    },
  };
}

type Source = NonNullable<MetricSpec["resource"]>;
type Status = NonNullable<MetricStatus["resource"]>;
type AnnotatedSource = NonNullable<AnnotatedSpec["resource"]>;
type AnnotatedCurrent = NonNullable<AnnotatedStatus["resource"]>;

const resourceSpec = ({ name, target }: Source): AnnotatedSource => ({
  name,
  targetAverageUtilization: target.averageUtilization,
  targetAverageValue: target.averageValue,
});

const resourceStatus = ({ name, current }: Status): AnnotatedCurrent => ({
  name,
  currentAverageUtilization: current.averageUtilization,
  currentAverageValue: current.averageValue ?? "0",
});

const resourceTarget = (source: AnnotatedSource): Source["target"] => ({
  type: source.targetAverageUtilization === undefined ? "AverageValue" : "Utilization",
  averageValue: source.targetAverageValue,
  averageUtilization: source.targetAverageUtilization,
});

const resourceCurrent = (status: AnnotatedCurrent): Status["current"] => ({
  averageValue: status.currentAverageValue,
  averageUtilization: status.currentAverageUtilization,
});

/** A total of zero beside an average is none: v1 cannot leave it out. */
function objectTarget({
  targetValue,
  averageValue,
}: NonNullable<AnnotatedSpec["object"]>): Source["target"] {
  if (averageValue === undefined) return { type: "Value", value: targetValue };
  const isNone = isZeroQuantity(parseQuantity(targetValue));
  return { type: "AverageValue", averageValue, ...(!isNone && { value: targetValue }) };
}
