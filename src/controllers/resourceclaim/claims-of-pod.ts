import type { Pod } from "../../api/core/v1/pod/pod.ts";

export type PodResourceClaim = NonNullable<Pod["spec"]["resourceClaims"]>[number];

/**
 * The claim object of a pod's claim. `absent` is not created yet; `none` is intentionally not created;
 * `unknown` is a claim of a kind that this version does not know.
 */
export type ClaimOfPod =
  | { readonly type: "named"; readonly name: string; readonly isMade: boolean }
  | { readonly type: "absent" | "none" | "unknown" };

/** Finds the claim object of a pod's claim: named by the pod, or made from a template. */
export function claimOfPod(
  { status }: Pod,
  { name, resourceClaimName, resourceClaimTemplateName }: PodResourceClaim,
): ClaimOfPod {
  if (resourceClaimName !== undefined)
    return { type: "named", name: resourceClaimName, isMade: false };
  if (resourceClaimTemplateName === undefined) return { type: "unknown" };
  const made = status.resourceClaimStatuses?.find((one) => one.name === name);
  if (!made) return { type: "absent" };
  const { resourceClaimName: madeName } = made;
  return madeName === undefined
    ? { type: "none" }
    : { type: "named", name: madeName, isMade: true };
}

/** The names of all claim objects of a pod, those of extended resources included. */
export function claimNames(pod: Pod): readonly string[] {
  const found = (pod.spec.resourceClaims ?? []).map((claim) => claimOfPod(pod, claim));
  const extended = pod.status.extendedResourceClaimStatus?.resourceClaimName;
  const names = found.flatMap((claim) => (claim.type === "named" ? [claim.name] : []));
  return [...new Set(extended ? [...names, extended] : names)];
}

/** The names of the templates of a pod's claims. */
export const templateNames = ({ spec }: Pod): readonly string[] => [
  ...new Set((spec.resourceClaims ?? []).flatMap((one) => one.resourceClaimTemplateName ?? [])),
];

/** Whether no container of a pod runs, and none ever will. */
export const isPodDone = ({ metadata, spec, status }: Pod): boolean =>
  status.phase === "Failed" ||
  status.phase === "Succeeded" ||
  (metadata.deletionTimestamp !== undefined && !spec.nodeName);
