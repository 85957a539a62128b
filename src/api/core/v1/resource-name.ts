import type { At } from "../../../schema/language/report.ts";
import { isQualifiedName } from "../../../schema/values/names.ts";
import {
  isZeroQuantity,
  parseQuantity,
  type Quantity,
  quantitySign,
  quantityValue,
  roundUpQuantity,
} from "../../../schema/values/quantity.ts";

/** `hugepages-2Mi` and the like. */
export const isHugePageResource = (name: string): boolean => name.startsWith("hugepages-");

/** In the namespace of Kubernetes itself, as all names without a prefix are. */
export const isNativeResource = (name: string): boolean =>
  !name.includes("/") || name.includes("kubernetes.io/");

/** A resource of someone else, such as `example.com/gpu`. */
export const isExtendedResource = (name: string): boolean =>
  !isNativeResource(name) &&
  !name.startsWith("requests.") &&
  isQualifiedName(`requests.${name}`).length === 0;

/** Whether limits may exceed requests. */
export const isOvercommitAllowed = (name: string): boolean =>
  isNativeResource(name) && !isHugePageResource(name);

/** Whether it is counted in whole numbers. */
const isIntegerResource = (name: string): boolean =>
  integerResources.has(name) || isExtendedResource(name);

/** Whether it can be set for a pod as a whole. */
export const isPodLevelResource = (name: string): boolean =>
  name === "cpu" || name === "memory" || isHugePageResource(name);

/** Says what is wrong with the name of a resource; whether it was right. */
export type ResourceNameRule = (name: string, at: At) => boolean;

/** A qualified name; one without a prefix must be known. */
export function validateResourceName(name: string, at: At): boolean {
  const messages = isQualifiedName(name);
  at.invalidEach("", name, messages);
  if (messages.length > 0) return false;
  if (name.includes("/") || isStandardResource(name)) return true;
  at.invalid("", name, "must be a standard resource type or fully qualified");
  return false;
}

/** A name that can stand in a container's requests and limits. */
export function validateContainerResourceName(name: string, at: At): boolean {
  const valid = validateResourceName(name, at);
  if (!name.includes("/")) {
    if (containerResources.has(name) || isHugePageResource(name)) return valid;
    at.invalid("", name, "must be a standard resource for containers");
    return false;
  }
  if (isNativeResource(name) || isExtendedResource(name)) return valid;
  at.invalid("", name, "doesn't follow extended resource name standard");
  return false;
}

/** A name that can stand in the requests and limits of a pod as a whole. */
export function validatePodResourceName(name: string, at: At): boolean {
  if (!validateResourceName(name, at)) return false;
  if (isPodLevelResource(name)) return true;
  at.notSupported("", name, ["cpu", "hugepages-", "memory"]);
  return false;
}

/** An amount is not negative, and whole where the resource is counted. */
export function validateResourceQuantity(name: string, amount: string, at: At): void {
  const quantity = parseQuantity(amount);
  if (quantitySign(quantity) < 0) at.invalid("", amount, "must be greater than or equal to 0");
  if (isIntegerResource(name) && !isWhole(quantity)) at.invalid("", amount, "must be an integer");
}

/** Whether an amount of huge pages is a multiple of the page size in the resource's name. */
export function isDivisibleIntoPages(name: string, amount: string): boolean {
  let size: Quantity;
  try {
    size = parseQuantity(name.slice("hugepages-".length));
  } catch {
    return false;
  }
  if (quantitySign(size) <= 0 || !isWhole(size)) return false;
  return quantityValue(parseQuantity(amount)) % quantityValue(size) === 0;
}

/** Whole to the thousandth: what is finer was rounded up before. */
function isWhole(quantity: Quantity): boolean {
  const { mantissa, scale } = roundUpQuantity(quantity, -3);
  return scale >= 0 || isZeroQuantity(quantity) || BigInt(mantissa) % 10n ** BigInt(-scale) === 0n;
}

const containerResources: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"]);

const integerResources: ReadonlySet<string> = new Set([
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
]);

const standardResources: ReadonlySet<string> = new Set([
  ...integerResources,
  ...["", "requests.", "limits."].flatMap((prefix) =>
    [...containerResources].map((name) => prefix + name),
  ),
  "storage",
  "requests.storage",
]);

/** Whether Kubernetes itself knows it, in any place. */
export const isStandardResource = (name: string): boolean =>
  standardResources.has(name) || isHugePageResource(name) || name.startsWith("requests.hugepages-");
