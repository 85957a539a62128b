import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { claimKey } from "./node-claim.ts";

/** A claim that a pod uses. */
export interface PodClaim {
  /** The name of the object. */
  readonly name: string;
  /** Whether it was made from a template: then the pod must own it. */
  readonly isMade: boolean;
}

/** The claims of a pod, each once. Throws if one is not known yet. */
export function claimsOfPod(pod: Pod): readonly PodClaim[] {
  const extended = pod.status.extendedResourceClaimStatus?.resourceClaimName;
  const claims = [
    ...(pod.spec.resourceClaims ?? []).map(({ name }) => claimOf(pod, name)),
    extended !== undefined ? { name: extended, isMade: false } : undefined,
  ].filter((claim) => claim !== undefined);
  return [...new Map(claims.map((claim) => [claim.name, claim])).values()];
}

/**
 * The claim that a pod calls by a name; undefined if it intentionally has none. Throws if none was made from its
 * template yet.
 */
export function claimOf(pod: Pod, name: string): PodClaim | undefined {
  const { resourceClaimName, resourceClaimTemplateName } =
    pod.spec.resourceClaims?.find((one) => one.name === name) ?? {};
  if (resourceClaimName !== undefined) return { name: resourceClaimName, isMade: false };
  const podName = claimKey(pod.metadata.namespace ?? "", pod.metadata.name ?? "");
  if (resourceClaimTemplateName === undefined)
    throw new Error(
      `pod "${podName}", spec.resourceClaim "${name}": none of the supported fields are set`,
    );
  const status = pod.status.resourceClaimStatuses?.find((one) => one.name === name);
  if (!status) throw new Error(`pod "${podName}": ResourceClaim not created yet`);
  const { resourceClaimName: made } = status;
  return made === undefined ? undefined : { name: made, isMade: true };
}
