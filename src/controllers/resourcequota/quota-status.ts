import {
  type Amounts,
  amountsOf,
  increase,
  only,
  resourceListOf,
  sameAmounts,
} from "../../api/core/v1/quota/amounts.ts";
import type { ResourceQuota } from "../../api/core/v1/quota/resource-quota.ts";
import type { ResourceQuotaStatus } from "../../api/core/v1/quota/resource-quota-spec.ts";

/**
 * The status of a quota with this usage; undefined if it is up to date. Usage that could not be counted
 * is kept.
 */
export function nextStatus(
  { spec, status }: Pick<ResourceQuota, "spec" | "status">,
  counted: Amounts,
): ResourceQuotaStatus | undefined {
  const hard = amountsOf(spec.hard);
  const before = amountsOf(status.used);
  const used = only(new Map([...before, ...counted]), (name) => hard.has(name));
  if (sameAmounts(hard, amountsOf(status.hard)) && sameAmounts(used, before)) return undefined;
  return { hard: resourceListOf(hard), used: resourceListOf(used) };
}

/** Whether the usage is higher than the status says; a lower one may be due to a concurrent write. */
export function hasMissed({ status }: Pick<ResourceQuota, "status">, counted: Amounts): boolean {
  const before = amountsOf(status.used);
  return [...increase(counted, before).keys()].some((name) => before.has(name));
}

/** Whether nothing can be admitted before the next count: limits are not in force, or not counted. */
export function isUrgent(
  { spec, status }: Pick<ResourceQuota, "spec" | "status">,
  isCounted: (name: string) => boolean,
): boolean {
  const inForce = amountsOf(status.hard);
  if (!sameAmounts(amountsOf(spec.hard), inForce)) return true;
  const used = amountsOf(status.used);
  return [...inForce.keys()].some((name) => !used.has(name) && isCounted(name));
}
