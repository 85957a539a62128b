import { ResourceClaim } from "../../../api/resource/v1/resource-claim.ts";
import { ConditionWaiters } from "../../../client/informer/condition-waiters.ts";
import { keyOf } from "../../../client/resource-kind.ts";
import type { Handle } from "../../framework/handle.ts";
import type { BindTarget } from "../../framework/plugin.ts";
import type { PodInfo } from "../../framework/pod-info.ts";
import {
  areDevicesReady,
  DeviceBindingError,
  driversOf,
  isBindingOverdue,
} from "./binding-conditions.ts";
import type { ClaimOfCycle } from "./claim-state.ts";

/** Waits until drivers have prepared the devices of a pod. */
export function deviceWaiter(
  { informer, events, clock, ticks, metrics }: Handle,
  timeoutMs: number,
): (own: readonly ClaimOfCycle[], pod: PodInfo, target: BindTarget) => Promise<void> {
  const claims = informer(ResourceClaim);
  const waiters = new ConditionWaiters();
  claims.addHandler({ updated: () => waiters.settle(), deleted: () => waiters.settle() });

  /** Throws if the devices will not be ready. */
  const areAllReady = (own: readonly ClaimOfCycle[]): boolean =>
    own.every((one) => {
      const found = claims.get(keyOf(one.claim));
      const { name } = one.claim.metadata;
      if (!found) throw new Error(`resourceclaim.resource.k8s.io "${name}" not found`);
      one.claim = found;
      const ready = areDevicesReady(found);
      if (ready instanceof DeviceBindingError) throw ready;
      if (!ready && isBindingOverdue(found, { now: clock.now(), timeoutMs }))
        throw new DeviceBindingError("timeout", `claim=${name}`);
      return ready;
    });

  return async (own, pod, { node, signal }) => {
    events.record(pod.pod, {
      type: "Normal",
      reason: "BindingConditionsPending",
      action: "Scheduling",
      note: `waiting for binding conditions for device on node ${node}`,
    });
    const ending = new AbortController();
    const abort = (): void => ending.abort(signal.reason);
    signal.addEventListener("abort", abort);
    const timer = clock.setTimer(timeoutMs, () =>
      ending.abort(new DeviceBindingError("timeout", "context deadline exceeded")),
    );
    const since = ticks();
    let fault: unknown;
    try {
      await waiters.until(() => {
        try {
          return areAllReady(own);
        } catch (error) {
          fault = error;
          return true;
        }
      }, ending.signal);
    } catch (error) {
      fault = error;
    } finally {
      timer.cancel();
      signal.removeEventListener("abort", abort);
    }
    const { drivers, conditional } = driversOf(own.map(({ claim }) => claim));
    const seconds = (ticks() - since) / 1000;
    metrics.devicesBound(drivers, { status: statusOf(fault), seconds, conditional });
    if (fault) throw fault;
  };
}

function statusOf(fault: unknown): "success" | "timeout" | "failure" | "error" {
  if (fault === undefined) return "success";
  return fault instanceof DeviceBindingError ? fault.status : "error";
}
