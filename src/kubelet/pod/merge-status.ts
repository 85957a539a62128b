import { Pod } from "../../api/core/v1/pod.ts";
import type { PodCondition, PodStatus } from "../../api/core/v1/pod-status.ts";
import type { ReadonlyJsonMap } from "../../schema/json-value.ts";
import { shapeOf } from "../../schema/shape.ts";
import { createTwoWayMergePatch } from "../../schema/strategic-merge/create-merge-patch.ts";
import { isKubeletCondition } from "./pod-conditions.ts";
import { isTerminalPhase } from "./pod-status.ts";

/**
 * What a pod's status becomes: what the kubelet says, beside the conditions of others. A pod that may
 * still have containers is not said to have ended.
 */
export function mergeStatus(stored: PodStatus, status: PodStatus, mayRun: boolean): PodStatus {
  const conditions: PodCondition[] = [
    ...(stored.conditions ?? []).filter(({ type }) => !isKubeletCondition(type)),
    ...(status.conditions ?? []).filter(({ type }) => isKubeletCondition(type)),
  ];
  const { resourceClaimStatuses, extendedResourceClaimStatus, nominatedNodeName } = stored;
  const merged: Record<string, unknown> = {
    ...status,
    conditions,
    resourceClaimStatuses,
    extendedResourceClaimStatus,
    nominatedNodeName,
    nodeAllocatableResourceClaimStatuses: stored.nodeAllocatableResourceClaimStatuses,
  };
  if (mayRun && isTerminalPhase(status.phase) && !isTerminalPhase(stored.phase))
    Object.assign(merged, { phase: stored.phase, reason: stored.reason, message: stored.message });
  for (const [name, value] of Object.entries(merged)) if (value === undefined) delete merged[name];
  return merged as unknown as PodStatus;
}

/** The patch from one status of a pod to another, which holds for this pod alone; undefined if they are the same. */
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
