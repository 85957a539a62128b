import type { Pod } from "../../api/core/v1/pod/pod.ts";
import type { ResourceClaim } from "../../api/resource/v1/resource-claim.ts";
import type { PodClaim } from "./pod-claims.ts";

/** Why a pod cannot use a claim; undefined if it can. */
export function claimProblem(
  pod: Pod,
  { metadata: claim, status }: ResourceClaim,
  { isMade }: PodClaim,
): string | undefined {
  const { name, namespace, uid } = pod.metadata;
  const owner = claim.ownerReferences?.find(({ controller }) => controller);
  if (isMade && owner?.uid !== uid)
    return `ResourceClaim ${claim.namespace}/${claim.name} was not created for Pod ${namespace}/${name} (Pod is not owner)`;
  if (!status.reservedFor?.some((consumer) => consumer.uid === uid))
    return `pod ${name} (${uid}) is not allowed to use ResourceClaim ${claim.name} (${claim.uid})`;
  if (!status.allocation) return `ResourceClaim ${claim.name}: not allocated`;
  return undefined;
}

/** The drivers that have devices of an allocated claim. */
export const driversOf = ({ status }: ResourceClaim): readonly string[] => [
  ...new Set((status.allocation?.devices.results ?? []).map(({ driver }) => driver)),
];
