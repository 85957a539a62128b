import type { Pod } from "../../api/core/v1/pod/pod.ts";
import {
  type DeviceTaint,
  type DeviceToleration,
  toleratesDeviceTaint,
} from "../../api/resource/v1/device-taint.ts";
import { ruleSelects } from "../../api/resource/v1/matching-rule.ts";
import type { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import type { ResourceSlice } from "../../api/resource/v1/resource-slice.ts";
import type { DeviceTaintRule } from "../../api/resource/v1beta2/device-taint-rule.ts";
import { isControlledBy } from "../../controller-runtime/objects/owner-references.ts";
import { claimOfPod } from "../resourceclaim/claims-of-pod.ts";

export interface DeviceFacts {
  /** The claim of a name in the namespace of the pod. */
  readonly claim: (name: string) => ResourceClaim | undefined;
  /** All slices of a pool, outdated ones included. */
  readonly slices: (driver: string, pool: string) => readonly ResourceSlice[];
  /** The rules whose taints evict pods. */
  readonly rules: readonly DeviceTaintRule[];
}

/** When a pod must be evicted because of the devices that it uses, and which rules have a part in it. */
export interface DeviceEviction {
  readonly time: number;
  readonly rules: readonly DeviceTaintRule[];
}

interface TaintInEffect {
  readonly time: number;
  readonly rule?: DeviceTaintRule | undefined;
}

/** When a pod must be evicted because of the devices that it uses; undefined if never. */
export function deviceEviction(pod: Pod, facts: DeviceFacts): DeviceEviction | undefined {
  if (!pod.spec.nodeName) return undefined;
  const taints = (pod.spec.resourceClaims ?? []).flatMap((reference) => {
    const found = claimOfPod(pod, reference);
    if (found.type !== "named") return [];
    const claim = facts.claim(found.name);
    if (!claim || (found.isMade && !isControlledBy(claim, pod))) return [];
    const isReserved = claim.status?.reservedFor?.some(({ uid }) => uid === pod.metadata.uid);
    return isReserved ? taintsOfClaim(claim, facts) : [];
  });
  if (taints.length === 0) return undefined;
  const rules = new Set(taints.flatMap(({ rule }) => rule ?? []));
  return { time: Math.min(...taints.map(({ time }) => time)), rules: [...rules] };
}

/** The taints of a claim's devices that are not tolerated for ever, with the time until which they are. */
function taintsOfClaim(
  { status }: ResourceClaim,
  { slices, rules }: DeviceFacts,
): readonly TaintInEffect[] {
  return (status?.allocation?.devices.results ?? []).flatMap(
    ({ driver, pool, device, tolerations = [] }) => {
      const published = taintsOf(device, slices(driver, pool)).map((taint) => ({ taint }));
      const added = rules
        .filter((rule) => ruleSelects(rule, { driver, pool, device }))
        .map((rule) => ({ taint: rule.spec.taint, rule }));
      return [...published, ...added].flatMap(({ taint, ...by }) => {
        const toleratedMs = toleratedTime(taint, tolerations);
        const since = Date.parse(taint.timeAdded ?? "") || 0;
        return toleratedMs === Number.POSITIVE_INFINITY
          ? []
          : [{ time: since + toleratedMs, ...by }];
      });
    },
  );
}

/** The taints of a device that evict pods; slices of former generations of the pool do not count. */
function taintsOf(name: string, slices: readonly ResourceSlice[]): readonly DeviceTaint[] {
  return currentSlices(slices)
    .flatMap(({ spec }) => spec.devices ?? [])
    .filter((device) => device.name === name)
    .slice(0, 1)
    .flatMap(({ taints = [] }) => taints.filter(({ effect }) => effect === "NoExecute"));
}

/** Of the slices of a pool, those of its latest generation. */
export function currentSlices(slices: readonly ResourceSlice[]): readonly ResourceSlice[] {
  const generation = Math.max(...slices.map(({ spec }) => spec.pool.generation));
  return slices.filter(({ spec }) => spec.pool.generation === generation);
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
