import type { At } from "../../../schema/language/report.ts";
import { isDns1123Label, pathSegmentName } from "../../../schema/values/names.ts";
import { parseQuantity, quantitySign } from "../../../schema/values/quantity.ts";
import { validateContainerResourceName } from "../../core/v1/resource-name.ts";
import type {
  ContainerResourceMetricSource,
  CrossVersionObjectReference,
  ExternalMetricSource,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
  ObjectMetricSource,
  PodsMetricSource,
  ResourceMetricSource,
} from "./metric.ts";

export interface ReferenceOptions {
  /** The core group, which is written as none, is meant to be possible. */
  readonly allowEmptyGroup?: boolean;
  /** It was like this before. */
  readonly allowInvalidVersion?: boolean;
}

/** The rules of a reference to an object whose version may be any. */
export function validateReference(
  ref: CrossVersionObjectReference,
  at: At,
  options: ReferenceOptions,
): void {
  for (const field of ["kind", "name"] as const)
    if (ref[field] === "") at.required(field);
    else at.invalidEach(field, ref[field], pathSegmentName(ref[field]));
  const problem = apiVersionProblem(ref, options);
  if (problem !== undefined) at.invalid("apiVersion", ref.apiVersion ?? "", problem);
}

/** What is wrong with the version of a reference. */
export function apiVersionProblem(
  { apiVersion = "" }: CrossVersionObjectReference,
  { allowEmptyGroup, allowInvalidVersion }: ReferenceOptions,
): string | undefined {
  if (allowInvalidVersion) return undefined;
  const parts = apiVersion.split("/");
  if (parts.length > 2) return `unexpected GroupVersion string: ${apiVersion}`;
  const group = parts.length === 2 ? parts[0] : "";
  return group === "" && !allowEmptyGroup ? "apiVersion must specify API group" : undefined;
}

/** The sources a metric can have, in the order in which they are looked at; one of them is set. */
const sources = [
  ["Object", "object"],
  ["External", "external"],
  ["Pods", "pods"],
  ["Resource", "resource"],
  ["ContainerResource", "containerResource"],
] as const;
const types = ["ContainerResource", "External", "Object", "Pods", "Resource"];

/** The rules of a metric to scale by. */
export function validateMetricSpec(spec: MetricSpec, at: At, options: ReferenceOptions): void {
  const known = sources.find(([type]) => type === spec.type);
  if (spec.type === "") at.required("type", "must specify a metric source type");
  if (!known) at.notSupported("type", spec.type, types);
  const present = sources.map(([, member]) => member).filter((member) => spec[member]);
  const [first] = present;
  if (first) validateSource(spec, at.child(first), { member: first, options });
  if (!known) at.notSupported("type", spec.type, types);
  else if (!spec[known[1]])
    at.required(known[1], "must populate information for the given metric source");
  if (present.length === 1) return;
  for (const member of present)
    if (member !== known?.[1]) at.forbidden(member, "must populate the given metric source only");
}

function validateSource(
  { object, external, pods, resource, containerResource }: MetricSpec,
  at: At,
  { member, options }: { readonly member: keyof MetricSpec; readonly options: ReferenceOptions },
): void {
  if (member === "object" && object) validateObjectSource(object, at, options);
  else if (member === "external" && external) validateExternalSource(external, at);
  else if (member === "pods" && pods) validatePodsSource(pods, at);
  else if (member === "resource" && resource) validateResourceSource(resource, at);
  else if (containerResource) validateContainerResourceSource(containerResource, at);
}

function validateObjectSource(source: ObjectMetricSource, at: At, options: ReferenceOptions): void {
  const { value, averageValue } = source.target;
  validateReference(source.describedObject, at.child("describedObject"), options);
  validateIdentifier(source.metric, at.child("metric"));
  validateTarget(source.target, at.child("target"));
  if (value === undefined && averageValue === undefined)
    at.required("target.averageValue", "must set either a target value or averageValue");
}

function validateExternalSource({ metric, target }: ExternalMetricSource, at: At): void {
  validateIdentifier(metric, at.child("metric"));
  validateTarget(target, at.child("target"));
  const { value, averageValue } = target;
  if (value === undefined && averageValue === undefined)
    at.required(
      "target.averageValue",
      "must set either a target value for metric or a per-pod target",
    );
  if (value !== undefined && averageValue !== undefined)
    at.forbidden("target.value", "may not set both a target value for metric and a per-pod target");
}

function validatePodsSource({ metric, target }: PodsMetricSource, at: At): void {
  validateIdentifier(metric, at.child("metric"));
  validateTarget(target, at.child("target"));
  if (target.averageValue === undefined)
    at.required("target.averageValue", "must specify a positive target averageValue");
}

function validateResourceSource({ name, target }: ResourceMetricSource, at: At): void {
  if (name === "") at.required("name", "must specify a resource name");
  validateResourceTarget(target, at);
}

function validateContainerResourceSource(source: ContainerResourceMetricSource, at: At): void {
  const { name, container, target } = source;
  if (name === "") at.required("name", "must specify a resource name");
  else validateContainerResourceName(name, at.child("name"));
  if (container === "") at.required("container", "must specify a container");
  else at.invalidEach("container", container, isDns1123Label(container));
  validateResourceTarget(target, at);
}

function validateResourceTarget(target: MetricTarget, at: At): void {
  validateTarget(target, at.child("target"));
  const { averageUtilization, averageValue } = target;
  if (averageUtilization === undefined && averageValue === undefined)
    at.required(
      "target.averageUtilization",
      "must set either a target raw value or a target utilization",
    );
  if (averageUtilization !== undefined && averageValue !== undefined)
    at.forbidden(
      "target.averageValue",
      "may not set both a target raw value and a target utilization",
    );
}

function validateTarget(target: MetricTarget, at: At): void {
  const { type, averageUtilization } = target;
  if (type === "") at.required("type", "must specify a metric target type");
  if (type !== "Utilization" && type !== "Value" && type !== "AverageValue")
    at.invalid("type", type, "must be either Utilization, Value, or AverageValue");
  for (const field of ["value", "averageValue"] as const) {
    const amount = target[field];
    if (amount !== undefined && quantitySign(parseQuantity(amount)) !== 1)
      at.invalid(field, amount, "must be positive");
  }
  if (averageUtilization !== undefined && averageUtilization < 1)
    at.invalid("averageUtilization", averageUtilization, "must be greater than 0");
}

function validateIdentifier({ name }: MetricIdentifier, at: At): void {
  if (name === "") at.required("name", "must specify a metric name");
  else at.invalidEach("name", name, pathSegmentName(name));
}
