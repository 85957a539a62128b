import { int32, message, named, quantity, string, value } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { LabelSelector } from "../../meta/v1/label-selector.ts";

const prefix = "io.k8s.api.autoscaling.v2";

export const CrossVersionObjectReference = struct(`${prefix}.CrossVersionObjectReference`, {
  kind: string(1).always().expected().doc("The kind of the object."),
  name: string(2).always().expected().doc("Its name."),
  apiVersion: string(3).doc("The group and version of the kind."),
}).doc("Names an object of the same namespace.");
export interface CrossVersionObjectReference extends Infer<typeof CrossVersionObjectReference> {}

export const MetricIdentifier = struct(`${prefix}.MetricIdentifier`, {
  name: string(1).always().expected().doc("The name of the metric."),
  selector: message(2, LabelSelector).doc("Narrows it down by labels, on the side of the metrics."),
}).doc("Names a metric.");
export interface MetricIdentifier extends Infer<typeof MetricIdentifier> {}

export const MetricTarget = struct(`${prefix}.MetricTarget`, {
  type: named(1, "v2.MetricTargetType")
    .always()
    .expected()
    .known("Utilization", "Value", "AverageValue")
    .doc("Utilization, Value or AverageValue."),
  value: quantity(2).doc("What the metric should be."),
  averageValue: quantity(3).doc("What it should be for each pod, on average."),
  averageUtilization: int32(4)
    .pointer()
    .doc("What it should be on average, in per cent of what the pods request."),
}).doc("What a metric should be.");
export interface MetricTarget extends Infer<typeof MetricTarget> {}

export const MetricValueStatus = struct(`${prefix}.MetricValueStatus`, {
  value: quantity(1).doc("What the metric is."),
  averageValue: quantity(2).doc("What it is for each pod, on average."),
  averageUtilization: int32(3)
    .pointer()
    .doc("What it is on average, in per cent of what the pods request."),
}).doc("What a metric is at present.");
export interface MetricValueStatus extends Infer<typeof MetricValueStatus> {}

const resourceName = () =>
  named(1, "v1.ResourceName").always().expected().doc("The resource, such as cpu.");
const target = () => value(2, MetricTarget).expected().doc("What it should be.");
const current = () => value(2, MetricValueStatus).expected().doc("What it is.");
const metric = (tag: number) => value(tag, MetricIdentifier).expected().doc("The metric.");
const container = () => string(3).always().expected().doc("The container in each pod.");
const describedObject = (tag: number) =>
  value(tag, CrossVersionObjectReference).expected().doc("The object that the metric is of.");

export const ObjectMetricSource = struct(`${prefix}.ObjectMetricSource`, {
  describedObject: describedObject(1),
  target: target(),
  metric: metric(3),
}).doc("A metric of another object.");
export interface ObjectMetricSource extends Infer<typeof ObjectMetricSource> {}

export const PodsMetricSource = struct(`${prefix}.PodsMetricSource`, {
  metric: metric(1),
  target: target(),
}).doc("A metric of each pod.");
export interface PodsMetricSource extends Infer<typeof PodsMetricSource> {}

export const ResourceMetricSource = struct(`${prefix}.ResourceMetricSource`, {
  name: resourceName(),
  target: target(),
}).doc("What the pods use of a resource.");
export interface ResourceMetricSource extends Infer<typeof ResourceMetricSource> {}

export const ContainerResourceMetricSource = struct(`${prefix}.ContainerResourceMetricSource`, {
  name: resourceName(),
  target: target(),
  container: container(),
}).doc("What one container of each pod uses of a resource.");
export interface ContainerResourceMetricSource
  extends Infer<typeof ContainerResourceMetricSource> {}

export const ExternalMetricSource = struct(`${prefix}.ExternalMetricSource`, {
  metric: metric(1),
  target: target(),
}).doc("A metric from outside the cluster.");
export interface ExternalMetricSource extends Infer<typeof ExternalMetricSource> {}

const sourceType = () =>
  named(1, "v2.MetricSourceType")
    .always()
    .expected()
    .known("Object", "Pods", "Resource", "ContainerResource", "External")
    .doc("Object, Pods, Resource, ContainerResource or External: which of the others is set.");

export const MetricSpec = struct(`${prefix}.MetricSpec`, {
  type: sourceType(),
  object: message(2, ObjectMetricSource).doc("A metric of another object."),
  pods: message(3, PodsMetricSource).doc("A metric of each pod."),
  resource: message(4, ResourceMetricSource).doc("What the pods use of a resource."),
  containerResource: message(7, ContainerResourceMetricSource).doc(
    "What one container of each pod uses.",
  ),
  external: message(5, ExternalMetricSource).doc("A metric from outside the cluster."),
}).doc("A metric, and what it should be.");
export interface MetricSpec extends Infer<typeof MetricSpec> {}

export const ObjectMetricStatus = struct(`${prefix}.ObjectMetricStatus`, {
  metric: metric(1),
  current: current(),
  describedObject: describedObject(3),
}).doc("A metric of another object, at present.");
export interface ObjectMetricStatus extends Infer<typeof ObjectMetricStatus> {}

export const PodsMetricStatus = struct(`${prefix}.PodsMetricStatus`, {
  metric: metric(1),
  current: current(),
}).doc("A metric of each pod, at present.");
export interface PodsMetricStatus extends Infer<typeof PodsMetricStatus> {}

export const ResourceMetricStatus = struct(`${prefix}.ResourceMetricStatus`, {
  name: resourceName(),
  current: current(),
}).doc("What the pods use of a resource, at present.");
export interface ResourceMetricStatus extends Infer<typeof ResourceMetricStatus> {}

export const ContainerResourceMetricStatus = struct(`${prefix}.ContainerResourceMetricStatus`, {
  name: resourceName(),
  current: current(),
  container: container(),
}).doc("What one container of each pod uses of a resource, at present.");
export interface ContainerResourceMetricStatus
  extends Infer<typeof ContainerResourceMetricStatus> {}

export const ExternalMetricStatus = struct(`${prefix}.ExternalMetricStatus`, {
  metric: metric(1),
  current: current(),
}).doc("A metric from outside the cluster, at present.");
export interface ExternalMetricStatus extends Infer<typeof ExternalMetricStatus> {}

export const MetricStatus = struct(`${prefix}.MetricStatus`, {
  type: sourceType(),
  object: message(2, ObjectMetricStatus).doc("A metric of another object."),
  pods: message(3, PodsMetricStatus).doc("A metric of each pod."),
  resource: message(4, ResourceMetricStatus).doc("What the pods use of a resource."),
  containerResource: message(7, ContainerResourceMetricStatus).doc(
    "What one container of each pod uses.",
  ),
  external: message(5, ExternalMetricStatus).doc("A metric from outside the cluster."),
}).doc("What a metric is at present.");
export interface MetricStatus extends Infer<typeof MetricStatus> {}
