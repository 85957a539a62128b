import { quantity, string } from "../../../schema/language/field.ts";
import type { At } from "../../../schema/language/report.ts";
import { type Infer, struct } from "../../../schema/language/struct.ts";
import { isQualifiedName } from "../../../schema/values/names.ts";
import { isZeroQuantity, parseQuantity } from "../../../schema/values/quantity.ts";

export const ObjectFieldSelector = struct("io.k8s.api.core.v1.ObjectFieldSelector", {
  apiVersion: string(1).default("v1").doc("API version in which the path is written."),
  fieldPath: string(2).always().expected().doc("The field, such as metadata.name."),
})
  .atomic()
  .doc("Names a field of the pod.");
export interface ObjectFieldSelector extends Infer<typeof ObjectFieldSelector> {}

export const ResourceFieldSelector = struct("io.k8s.api.core.v1.ResourceFieldSelector", {
  containerName: string(1).doc("The container whose resource is meant; volumes must name one."),
  resource: string(2).always().expected().doc("The resource, such as limits.cpu."),
  divisor: quantity(3).always().doc("The unit in which the amount is given; 1 if it is zero."),
})
  .atomic()
  .doc("Names a request or limit of a container.");
export interface ResourceFieldSelector extends Infer<typeof ResourceFieldSelector> {}

/** The rules of a reference to a field of the pod; `fields` are those that may be named here. */
export function validateObjectFieldSelector(
  { apiVersion, fieldPath }: ObjectFieldSelector,
  fields: readonly string[],
  at: At,
): void {
  const subscripted = splitSubscript(fieldPath);
  const unconvertible = conversionFault(apiVersion, fieldPath);
  if (!apiVersion) at.required("apiVersion");
  else if (!fieldPath) at.required("fieldPath");
  else if (unconvertible)
    at.invalid("fieldPath", fieldPath, `error converting fieldPath: ${unconvertible}`);
  else if (subscripted) {
    const { path, subscript } = subscripted;
    const key = path === "metadata.annotations" ? subscript.toLowerCase() : subscript;
    at.invalidEach("", key, isQualifiedName(key));
  } else {
    const path = currentPath(fieldPath);
    if (!fields.includes(path)) at.notSupported("fieldPath", path, fields.toSorted());
  }
}

/** Why a field cannot be referred to at all. */
function conversionFault(apiVersion: string, fieldPath: string): string | undefined {
  if (apiVersion !== "v1") return `unsupported pod version: ${apiVersion}`;
  const subscripted = splitSubscript(fieldPath);
  if (subscripted)
    return subscriptable.has(subscripted.path)
      ? undefined
      : `field label does not support subscript: ${fieldPath}`;
  return podFields.has(currentPath(fieldPath))
    ? undefined
    : `field label not supported: ${fieldPath}`;
}

/** Old clients say `spec.host`. */
const currentPath = (path: string): string => (path === "spec.host" ? "spec.nodeName" : path);
const subscriptable: ReadonlySet<string> = new Set(["metadata.annotations", "metadata.labels"]);

/** The rules of a reference to a resource of a container; in a volume it must name the container. */
export function validateResourceFieldSelector(
  selector: ResourceFieldSelector,
  at: At,
  { inVolume = false }: { readonly inVolume?: boolean } = {},
): void {
  const { containerName, resource, divisor } = selector;
  if (inVolume && !containerName) at.required("containerName");
  else if (!resource) at.required("resource");
  else if (!resources.includes(resource) && !hugePages.test(resource))
    at.notSupported("resource", resource, resources);
  validateDivisor(resource, divisor, at);
}

/** `metadata.labels['app']` as path and subscript; undefined for a path without one. */
export function splitSubscript(
  fieldPath: string,
): { readonly path: string; readonly subscript: string } | undefined {
  if (!fieldPath.endsWith("']")) return undefined;
  const open = fieldPath.indexOf("['");
  if (open <= 0 || open > fieldPath.length - 4) return undefined;
  return { path: fieldPath.slice(0, open), subscript: fieldPath.slice(open + 2, -2) };
}

const podFields: ReadonlySet<string> = new Set([
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.restartPolicy",
  "spec.serviceAccountName",
  "spec.schedulerName",
  "status.phase",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
]);

const resources = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];
const hugePages = /^(requests|limits)\.hugepages-/;

const cpuDivisors = ["1m", "1"];
const byteDivisors = "1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei";

function validateDivisor(resource: string, divisor: string, at: At): void {
  if (isZeroQuantity(parseQuantity(divisor))) return;
  if (/^(limits|requests)\.cpu$/.test(resource) && !cpuDivisors.includes(divisor))
    at.invalid(
      "divisor",
      resource,
      "only divisor's values 1m and 1 are supported with the cpu resource",
    );
  const measured = byteResource(resource);
  if (measured && !byteDivisors.split(", ").includes(divisor))
    at.invalid(
      "divisor",
      resource,
      `only divisor's values ${byteDivisors} are supported with the ${measured} resource`,
    );
}

function byteResource(resource: string): string | undefined {
  if (/^(limits|requests)\.memory$/.test(resource)) return "memory";
  if (/^(limits|requests)\.ephemeral-storage$/.test(resource)) return "local ephemeral storage";
  return hugePages.test(resource) ? "hugepages" : undefined;
}
