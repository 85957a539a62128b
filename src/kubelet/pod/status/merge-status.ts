import { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { PodCondition, PodStatus } from "../../../api/core/v1/pod/pod-status.ts";
import type { ReadonlyJsonMap } from "../../../schema/json/json-value.ts";
import { shapeOf } from "../../../schema/language/shape.ts";
import { createTwoWayMergePatch } from "../../../schema/strategic-merge/create-merge-patch.ts";
import { isKubeletCondition } from "./pod-conditions.ts";
import { isTerminalPhase } from "./pod-status.ts";

/**
 * Merges the kubelet's status of a pod with the conditions of others. A pod whose containers may still run is
 * not reported as ended.
 */
export function mergeStatus(stored: PodStatus, status: PodStatus, mayRun: boolean): PodStatus {
  const isEnding = isTerminalPhase(status.phase) && !isTerminalPhase(stored.phase);
  const own = (status.conditions ?? []).filter(
    ({ type }) => isKubeletCondition(type) || (type === disruption && isEnding && !mayRun),
  );
  const hasDisruption = own.some(({ type }) => type === disruption);
  const others = (stored.conditions ?? []).filter(
    ({ type }) => !isKubeletCondition(type) && !(hasDisruption && type === disruption),
  );
  const conditions: PodCondition[] = [...others, ...own];
  const merged: Record<string, unknown> = { ...status, conditions };
  for (const name of othersSay) merged[name] = stored[name];
  if (mayRun && isEnding)
    Object.assign(merged, { phase: stored.phase, reason: stored.reason, message: stored.message });
  return withoutUndefined(merged) as unknown as PodStatus;
}

/** A condition that the kubelet writes only when it has ended a pod; before that, it is others'. */
const disruption = "DisruptionTarget";

/** The fields that others write. */
const othersSay = [
  "resourceClaimStatuses",
  "extendedResourceClaimStatus",
  "nominatedNodeName",
  "nodeAllocatableResourceClaimStatuses",
] as const;

/** A copy without undefined members; deleting members would make the object slow. */
const withoutUndefined = (status: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(status).filter(([, value]) => value !== undefined));

/** The patch from one status of a pod to another, with the pod's uid; undefined if they are equal. */
export function statusPatch(
  uid: string,
  stored: PodStatus,
  status: PodStatus,
): ReadonlyJsonMap | undefined {
  const patch = createTwoWayMergePatch(
    podShape,
    { status: stored } as unknown as ReadonlyJsonMap,
    { metadata: { uid }, status } as unknown as ReadonlyJsonMap,
  );
  return Object.hasOwn(patch, "status") ? patch : undefined;
}

const podShape = shapeOf(Pod.struct);
