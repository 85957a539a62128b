import { int32, message, named, quantity, string, value } from "../../../schema/language/field.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { LabelSelector } from "../../meta/v1/label-selector.ts";
import { CrossVersionObjectReference } from "./cross-version-object-reference.ts";

const prefix = "io.k8s.api.autoscaling.v1";

const type = () => named(1, "v1.MetricSourceType").always().doc("Which of the others is set.");
const metricName = (tag: number) => string(tag).always().doc("The name of the metric.");
const selector = (tag: number) => message(tag, LabelSelector).doc("Narrows the metric down.");
const resourceName = () => named(1, "v1.ResourceName").always().doc("The resource.");
const container = (tag: number) => string(tag).always().doc("The container in each pod.");
const reference = () => value(1, CrossVersionObjectReference).doc("The object it is of.");
const targetUtilization = () => int32(2).pointer().doc("What it should be, in per cent.");
const currentUtilization = () => int32(2).pointer().doc("What it is, in per cent.");
const amount = (tag: number) => quantity(tag).always().doc("The value.");
const perPod = (tag: number) => quantity(tag).doc("The value for each pod, on average.");

const ObjectMetricSource = struct(`${prefix}.ObjectMetricSource`, {
  target: reference(),
  metricName: metricName(2),
  targetValue: amount(3),
  selector: selector(4),
  averageValue: perPod(5),
}).doc("A metric of another object.");
const PodsMetricSource = struct(`${prefix}.PodsMetricSource`, {
  metricName: metricName(1),
  targetAverageValue: amount(2),
  selector: selector(3),
}).doc("A metric of each pod.");
const ResourceMetricSource = struct(`${prefix}.ResourceMetricSource`, {
  name: resourceName(),
  targetAverageUtilization: targetUtilization(),
  targetAverageValue: perPod(3),
}).doc("What the pods use of a resource.");
const ContainerResourceMetricSource = struct(`${prefix}.ContainerResourceMetricSource`, {
  name: resourceName(),
  targetAverageUtilization: targetUtilization(),
  targetAverageValue: perPod(3),
  container: container(5),
}).doc("What one container of each pod uses of a resource.");
const ExternalMetricSource = struct(`${prefix}.ExternalMetricSource`, {
  metricName: metricName(1),
  metricSelector: selector(2),
  targetValue: quantity(3).doc("The value."),
  targetAverageValue: perPod(4),
}).doc("A metric from outside the cluster.");

/** A metric to scale by, as annotations of v1 have it. */
export const MetricSpec = struct(`${prefix}.MetricSpec`, {
  type: type(),
  object: message(2, ObjectMetricSource).doc("A metric of another object."),
  pods: message(3, PodsMetricSource).doc("A metric of each pod."),
  resource: message(4, ResourceMetricSource).doc("What the pods use of a resource."),
  containerResource: message(7, ContainerResourceMetricSource).doc("What one container uses."),
  external: message(5, ExternalMetricSource).doc("A metric from outside the cluster."),
}).doc("A metric, and what it should be.");
export interface MetricSpec extends Infer<typeof MetricSpec> {}

const ObjectMetricStatus = struct(`${prefix}.ObjectMetricStatus`, {
  target: reference(),
  metricName: metricName(2),
  currentValue: amount(3),
  selector: selector(4),
  averageValue: perPod(5),
}).doc("A metric of another object, at present.");
const PodsMetricStatus = struct(`${prefix}.PodsMetricStatus`, {
  metricName: metricName(1),
  currentAverageValue: amount(2),
  selector: selector(3),
}).doc("A metric of each pod, at present.");
const ResourceMetricStatus = struct(`${prefix}.ResourceMetricStatus`, {
  name: resourceName(),
  currentAverageUtilization: currentUtilization(),
  currentAverageValue: amount(3),
}).doc("What the pods use of a resource, at present.");
const ContainerResourceMetricStatus = struct(`${prefix}.ContainerResourceMetricStatus`, {
  name: resourceName(),
  currentAverageUtilization: currentUtilization(),
  currentAverageValue: amount(3),
  container: container(4),
}).doc("What one container of each pod uses of a resource, at present.");
const ExternalMetricStatus = struct(`${prefix}.ExternalMetricStatus`, {
  metricName: metricName(1),
  metricSelector: selector(2),
  currentValue: amount(3),
  currentAverageValue: perPod(4),
}).doc("A metric from outside the cluster, at present.");

/** What a metric is at present, as annotations of v1 have it. */
export const MetricStatus = struct(`${prefix}.MetricStatus`, {
  type: type(),
  object: message(2, ObjectMetricStatus).doc("A metric of another object."),
  pods: message(3, PodsMetricStatus).doc("A metric of each pod."),
  resource: message(4, ResourceMetricStatus).doc("What the pods use of a resource."),
  containerResource: message(7, ContainerResourceMetricStatus).doc("What one container uses."),
  external: message(5, ExternalMetricStatus).doc("A metric from outside the cluster."),
}).doc("What a metric is at present.");
export interface MetricStatus extends Infer<typeof MetricStatus> {}
