import type { Pod } from "../../api/core/v1/pod/pod.ts";
import {
  type DeviceTaint,
  type DeviceToleration,
  toleratesDeviceTaint,
} from "../../api/resource/v1/device-taint.ts";
import type { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import type { ResourceSlice } from "../../api/resource/v1/resource-slice.ts";
import { isControlledBy } from "../../controller-runtime/objects/owner-references.ts";
import { claimOfPod } from "../resourceclaim/claims-of-pod.ts";

export interface DeviceFacts {
  /** The claim of a name in the namespace of the pod. */
  readonly claim: (name: string) => ResourceClaim | undefined;
  /** All slices of a pool, outdated ones included. */
  readonly slices: (driver: string, pool: string) => readonly ResourceSlice[];
}

/** When a pod must be evicted because of the devices that it uses; undefined if never. */
export function deviceEvictionTime(pod: Pod, facts: DeviceFacts): number | undefined {
  if (!pod.spec.nodeName) return undefined;
  const times = (pod.spec.resourceClaims ?? []).flatMap((reference) => {
    const found = claimOfPod(pod, reference);
    if (found.type !== "named") return [];
    const claim = facts.claim(found.name);
    if (!claim || (found.isMade && !isControlledBy(claim, pod))) return [];
    const isReserved = claim.status?.reservedFor?.some(({ uid }) => uid === pod.metadata.uid);
    return isReserved ? timesOfClaim(claim, facts) : [];
  });
  return times.length === 0 ? undefined : Math.min(...times);
}

/** When each taint of a claim's devices that is not tolerated for ever ends the use of the claim. */
function timesOfClaim({ status }: ResourceClaim, { slices }: DeviceFacts): readonly number[] {
  return (status?.allocation?.devices.results ?? []).flatMap(
    ({ driver, pool, device, tolerations = [] }) =>
      taintsOf(device, slices(driver, pool)).flatMap((taint) => {
        const toleratedMs = toleratedTime(taint, tolerations);
        const added = Date.parse(taint.timeAdded ?? "") || 0;
        return toleratedMs === Number.POSITIVE_INFINITY ? [] : [added + toleratedMs];
      }),
  );
}

/** The taints of a device that evict pods; slices of former generations of the pool do not count. */
function taintsOf(name: string, slices: readonly ResourceSlice[]): readonly DeviceTaint[] {
  const generation = Math.max(...slices.map(({ spec }) => spec.pool.generation));
  return slices
    .filter(({ spec }) => spec.pool.generation === generation)
    .flatMap(({ spec }) => spec.devices ?? [])
    .filter((device) => device.name === name)
    .slice(0, 1)
    .flatMap(({ taints = [] }) => taints.filter(({ effect }) => effect === "NoExecute"));
}

/** For how many milliseconds a taint is tolerated: for none without a toleration. */
function toleratedTime(taint: DeviceTaint, tolerations: readonly DeviceToleration[]): number {
  const matching = tolerations.filter(
    (toleration) => toleration.effect === "NoExecute" && toleratesDeviceTaint(toleration, taint),
  );
  if (matching.length === 0) return 0;
  if (matching.some(({ tolerationSeconds }) => tolerationSeconds === undefined))
    return Number.POSITIVE_INFINITY;
  return Math.min(...matching.map((one) => Math.max(Number(one.tolerationSeconds), 0))) * 1000;
}
