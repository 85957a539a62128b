import type { ResourceClaim } from "../../../api/resource/v1/resource-claim.ts";

/** Whether a condition must come true before a pod with these claims can be bound. */
export const hasBindingConditions = (claims: readonly ResourceClaim[]): boolean =>
  claims.some((claim) => resultsOf(claim).some((one) => (one.bindingConditions ?? []).length > 0));

const resultsOf = ({ status }: ResourceClaim) => status?.allocation?.devices.results ?? [];

/** Whether the drivers of a claim's devices have prepared them; an error if they could not. */
export function areDevicesReady(claim: ResourceClaim): boolean | Error {
  for (const result of resultsOf(claim)) {
    const { bindingConditions = [], bindingFailureConditions = [] } = result;
    if (bindingConditions.length === 0) continue;
    const conditions = claim.status?.devices?.find(
      ({ driver, pool, device }) =>
        driver === result.driver && pool === result.pool && device === result.device,
    )?.conditions;
    const trueOne = (type: string) =>
      conditions?.find((one) => one.type === type && one.status === "True");
    const failed = bindingFailureConditions.map(trueOne).find((one) => one !== undefined);
    if (failed)
      return new Error(
        `device binding failed: claim=${claim.metadata.name}, reason=${failed.reason}, message=${JSON.stringify(failed.message)}`,
      );
    if (!bindingConditions.every(trueOne)) return false;
  }
  return true;
}

/** Whether the drivers had enough time since the allocation. */
export function isBindingOverdue(
  claim: ResourceClaim,
  { now, timeoutMs }: { readonly now: number; readonly timeoutMs: number },
): boolean {
  const since = Date.parse(claim.status?.allocation?.allocationTimestamp ?? "");
  return hasBindingConditions([claim]) && since + timeoutMs < now;
}
