import type { Pod } from "../../api/core/v1/pod/pod.ts";

/** Whether a pod has ended: it no longer uses its group. */
export const hasEnded = ({ status }: Pod): boolean =>
  status.phase === "Succeeded" || status.phase === "Failed";

/** `NAMESPACE/NAME` of the group of a pod; undefined if it has none. */
export function groupOfPod({ metadata, spec }: Pod): string | undefined {
  const name = spec.schedulingGroup?.podGroupName;
  return name ? `${metadata.namespace}/${name}` : undefined;
}

/** The group that a pod keeps from being removed: its own, until the pod has ended. */
export const groupInUse = (pod: Pod): readonly string[] => {
  const group = hasEnded(pod) ? undefined : groupOfPod(pod);
  return group === undefined ? [] : [group];
};
