import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { claimsOfPod, isClaimForPod } from "../../api/core/v1/pod/pod-claims.ts";
import type { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";

/**
 * Whether a pod keeps a claim from being deleted. Pods without a node do not: a kubelet rejects pods whose
 * claims are being deleted.
 */
export function keepsClaim(pod: Pod, claim: PersistentVolumeClaim): boolean {
  if (!pod.spec.nodeName) return false;
  return claimsOfPod(pod).some(({ name, isEphemeral }) => {
    if (name !== claim.metadata.name) return false;
    return !isEphemeral || (!isShutDown(pod) && isClaimForPod(claim, pod));
  });
}

/**
 * Whether the kubelet is done with a pod, or it was deleted by force. Its own claims can go then: a
 * finalizer of the pod may be waiting for that.
 */
const isShutDown = ({ metadata }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;

/** Whether a change of this pod may have left its claims unused. */
export const mayRelease = ({ spec, status }: Pod): boolean =>
  !spec.nodeName || status.phase === "Succeeded" || status.phase === "Failed";
