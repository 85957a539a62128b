import type { Pod } from "../../../api/core/v1/pod/pod.ts";
import type { ResourceClaim } from "../../../api/resource/v1/resource-claim.ts";
import type { CacheReader } from "../../../client/informer/informer-options.ts";
import { isControlledBy } from "../../../controller-runtime/objects/owner-references.ts";
import { quote } from "../../../schema/values/quote.ts";

/** Returns the claims of a pod, or why they cannot be used. */
export function claimsOfPod(
  pod: Pod,
  claims: CacheReader<ResourceClaim>,
): readonly ResourceClaim[] | string {
  const found: ResourceClaim[] = [];
  for (const reference of pod.spec.resourceClaims ?? []) {
    const name = claimName(pod, reference);
    if (name === undefined) return `pod ${quote(keyOf(pod))}: ResourceClaim not created yet`;
    // Some templates generate no claim.
    if (name === "") continue;
    const claim = claims.get({ namespace: pod.metadata.namespace, name });
    const problem = claimProblem(pod, reference, { name, claim });
    if (problem !== undefined || !claim) return problem ?? "";
    found.push(claim);
  }
  return found;
}

type ClaimReference = NonNullable<Pod["spec"]["resourceClaims"]>[number];

const keyOf = ({ metadata: { namespace, name } }: Pod): string => `${namespace}/${name}`;

/** The name of a claim: "" if none is needed, undefined if it is not created yet. */
function claimName(pod: Pod, { name, resourceClaimName }: ClaimReference): string | undefined {
  if (resourceClaimName) return resourceClaimName;
  const made = pod.status.resourceClaimStatuses?.find((one) => one.name === name);
  return made && (made.resourceClaimName ?? "");
}

/** Why a pod cannot use a claim. */
function claimProblem(
  pod: Pod,
  { resourceClaimTemplateName }: ClaimReference,
  { name, claim }: { readonly name: string; readonly claim: ResourceClaim | undefined },
): string | undefined {
  if (!claim) return `resourceclaim.resource.k8s.io ${quote(name)} not found`;
  if (claim.metadata.deletionTimestamp) return `resourceclaim ${quote(name)} is being deleted`;
  if (resourceClaimTemplateName && !isControlledBy(claim, pod))
    return `ResourceClaim ${claim.metadata.namespace}/${name} was not created for pod ${keyOf(pod)} (pod is not owner)`;
  return undefined;
}
