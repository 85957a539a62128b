import type { Node } from "../../api/core/v1/node/node.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { actions, type ClusterEvent, nodeResource, podUpdate } from "./cluster-event.ts";
import { podAmounts } from "./pod-resources.ts";

/** Returns the cluster events of a pod update; a generic update if no specific change is found. */
export function podChanges(now: Pod, old: Pod): readonly ClusterEvent[] {
  const isAssigned = Boolean(now.spec.nodeName);
  const found: number[] = [];
  if (!sameJson(now.metadata.labels ?? {}, old.metadata.labels ?? {}))
    found.push(actions.updatePodLabel);
  if (asksForLess(now, old)) found.push(actions.updatePodScaleDown);
  if ((now.spec.schedulingGates ?? []).length === 0 && (old.spec.schedulingGates ?? []).length > 0)
    found.push(actions.updatePodSchedulingGatesEliminated);
  // Tolerations can only be added.
  if ((now.spec.tolerations ?? []).length !== (old.spec.tolerations ?? []).length)
    found.push(actions.updatePodToleration);
  if (
    !sameJson(now.status.resourceClaimStatuses, old.status.resourceClaimStatuses) ||
    !sameJson(now.status.extendedResourceClaimStatus, old.status.extendedResourceClaimStatus)
  )
    found.push(actions.updatePodGeneratedResourceClaim);
  if (found.length === 0) found.push(actions.update);
  return found.map((action) => podUpdate(isAssigned, action));
}

/** Returns the cluster events of a node update; none if the change does not affect scheduling. */
export function nodeChanges(now: Node, old: Node): readonly ClusterEvent[] {
  const found: number[] = [];
  if (old.spec.unschedulable && !now.spec.unschedulable) found.push(actions.updateNodeTaint);
  if (!sameJson(now.status.allocatable ?? {}, old.status.allocatable ?? {}))
    found.push(actions.updateNodeAllocatable);
  if (!sameJson(now.metadata.labels ?? {}, old.metadata.labels ?? {}))
    found.push(actions.updateNodeLabel);
  if (!sameJson(now.spec.taints ?? [], old.spec.taints ?? [])) found.push(actions.updateNodeTaint);
  if (!sameJson(conditionStatuses(now), conditionStatuses(old)))
    found.push(actions.updateNodeCondition);
  if (!sameJson(now.metadata.annotations ?? {}, old.metadata.annotations ?? {}))
    found.push(actions.updateNodeAnnotation);
  if (!sameJson(now.status.declaredFeatures ?? [], old.status.declaredFeatures ?? []))
    found.push(actions.updateNodeDeclaredFeature);
  return found.map((action) => ({ resource: nodeResource, action }));
}

function asksForLess(now: Pod, old: Pod): boolean {
  if (now.spec === old.spec && now.status.containerStatuses === old.status.containerStatuses)
    return false;
  const after = podAmounts(now, { withStatus: true });
  for (const [name, amount] of podAmounts(old, { withStatus: true })) {
    const left = after.get(name);
    if (left === undefined || amount > left) return true;
  }
  return false;
}

const conditionStatuses = ({ status }: Node): Readonly<Record<string, string>> =>
  Object.fromEntries((status.conditions ?? []).map(({ type, status: is }) => [type, is]));
