import type { Container } from "../../api/core/v1/container/container.ts";
import type { ResourceFieldSelector } from "../../api/core/v1/field-selector.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { allContainers } from "../../api/core/v1/pod/pod-containers.ts";
import type { ResourceList } from "../../api/core/v1/resource-list.ts";
import {
  isZeroQuantity,
  parseQuantity,
  quantityMilliValue,
  quantityValue,
} from "../../schema/values/quantity.ts";

export interface ResourceFieldContext {
  readonly pod: Pod;
  readonly containerName: string;
  /** The allocatable resources of the node, which are the limits of containers without limits. */
  readonly allocatable: ResourceList;
}

/** A request or limit of a container in units of the divisor, rounded up; throws if there is none of that name. */
export function resourceField(
  { resource, divisor }: Pick<ResourceFieldSelector, "resource" | "divisor">,
  { pod, containerName, allocatable }: ResourceFieldContext,
): string {
  const container = allContainers(pod.spec).find(({ name }) => name === containerName);
  if (!container) throw new Error(`container ${containerName} not found`);
  const [, side, name = ""] = /^(limits|requests)\.(.+)$/.exec(resource) ?? [];
  if (side === undefined || !(plain.has(name) || name.startsWith("hugepages-")))
    throw new Error(`unsupported container resource : ${resource}`);
  const amount =
    side === "limits" ? limitOf(container, name, allocatable) : requestOf(container, name);
  const unit = isZero(divisor) ? "1" : divisor;
  // Only cpu is counted in thousandths.
  const value = name === "cpu" ? quantityMilliValue : quantityValue;
  return String(Math.ceil(value(parseQuantity(amount)) / value(parseQuantity(unit))));
}

type HasResources = Partial<Pick<Container, "resources">>;

const requestOf = ({ resources }: HasResources, name: string): string =>
  amountOf(resources?.requests, name) ?? "0";

/** Huge pages are never overcommitted: a container without a limit has none. */
function limitOf({ resources }: HasResources, name: string, allocatable: ResourceList): string {
  const limit = amountOf(resources?.limits, name) ?? "0";
  return isZero(limit) && plain.has(name) ? (amountOf(allocatable, name) ?? limit) : limit;
}

const amountOf = (list: ResourceList | undefined, name: string): string | undefined =>
  list && Object.hasOwn(list, name) ? list[name] : undefined;

const isZero = (amount: string): boolean => isZeroQuantity(parseQuantity(amount));

const plain: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"]);
