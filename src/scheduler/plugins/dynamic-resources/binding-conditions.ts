import type { ResourceClaim } from "../../../api/resource/v1/resource-claim.ts";
import { quote } from "../../../schema/values/quote.ts";

/** Whether a condition must come true before a pod with these claims can be bound. */
export const hasBindingConditions = (claims: readonly ResourceClaim[]): boolean =>
  claims.some((claim) => resultsOf(claim).some((one) => (one.bindingConditions ?? []).length > 0));

const resultsOf = ({ status }: ResourceClaim) => status?.allocation?.devices.results ?? [];

/** The drivers of all devices, and of those with conditions, once for each device. */
export function driversOf(claims: readonly ResourceClaim[]): {
  readonly drivers: readonly string[];
  readonly conditional: readonly string[];
} {
  const results = claims.flatMap(resultsOf);
  const conditional = results.filter((one) => (one.bindingConditions ?? []).length > 0);
  return {
    drivers: results.map(({ driver }) => driver),
    conditional: conditional.map(({ driver }) => driver),
  };
}

/** The driver of a device could not prepare it, or takes too long. */
export class DeviceBindingError extends Error {
  override readonly name = "DeviceBindingError";
  readonly status: "failure" | "timeout";

  constructor(status: "failure" | "timeout", message: string) {
    super(`device binding ${status === "failure" ? "failed" : "timeout"}: ${message}`);
    this.status = status;
  }
}

/** Whether the drivers of a claim's devices have prepared them; an error if they could not. */
export function areDevicesReady(claim: ResourceClaim): boolean | DeviceBindingError {
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
      return new DeviceBindingError(
        "failure",
        `claim=${claim.metadata.name}, reason=${failed.reason}, message=${quote(failed.message)}`,
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
