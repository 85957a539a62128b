import type { ObjectMeta } from "../../../meta/v1/object-meta.ts";
import type { Volume } from "../volume/volume.ts";
import type { Pod } from "./pod.ts";

/** The claim that a volume of a pod uses. */
export interface PodClaim {
  readonly name: string;
  /** Whether the claim is made for the pod, and has the names of pod and volume. */
  readonly isEphemeral: boolean;
}

/** The claim of a volume; undefined for other volumes. */
export function claimOfVolume({ metadata }: Pod, volume: Volume): PodClaim | undefined {
  const { persistentVolumeClaim, ephemeral, name } = volume;
  if (persistentVolumeClaim) return { name: persistentVolumeClaim.claimName, isEphemeral: false };
  return ephemeral && { name: `${metadata.name}-${name}`, isEphemeral: true };
}

/** The claims of all volumes of a pod. */
export const claimsOfPod = (pod: Pod): readonly PodClaim[] =>
  (pod.spec.volumes ?? []).flatMap((volume) => claimOfVolume(pod, volume) ?? []);

/** Whether a volume of a pod uses a claim. */
export const usesClaim = (pod: Pod, { metadata }: { readonly metadata: ObjectMeta }): boolean =>
  metadata.namespace === pod.metadata.namespace &&
  claimsOfPod(pod).some(({ name }) => name === metadata.name);

/** Whether a claim was made for a volume of this pod, not for another pod of its name. */
export const isClaimForPod = ({ metadata }: { readonly metadata: ObjectMeta }, pod: Pod): boolean =>
  metadata.ownerReferences?.some(
    ({ uid, controller }) => controller === true && uid === pod.metadata.uid,
  ) ?? false;
