import type { ContainerStatus } from "../../api/core/v1/container/container-status.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { claimsOfPod, isClaimForPod } from "../../api/core/v1/pod/pod-claims.ts";
import type { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { type AttachableVolume, attachableVolume } from "./attachment-state.ts";

/** Looks up what pods refer to. */
export interface VolumeLookup {
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  /** Whether the volumes of a driver must be attached. */
  needsAttachment(driver: string): boolean;
}

/** A volume that pods of a node need. */
export interface WantedVolume {
  readonly volume: AttachableVolume;
  readonly pods: readonly Pod[];
}

/** The volumes that pods of a node need to have attached, by their unique names. */
export function wantedVolumes(
  pods: readonly Pod[],
  lookup: VolumeLookup,
): ReadonlyMap<string, WantedVolume> {
  const wanted = new Map<string, { volume: AttachableVolume; pods: Pod[] }>();
  for (const pod of pods) {
    if (!needsVolumes(pod)) continue;
    for (const volume of volumesOfPod(pod, lookup)) {
      if (!lookup.needsAttachment(volume.driver)) continue;
      const found = wanted.get(volume.uniqueName);
      if (found) found.pods.push(pod);
      else wanted.set(volume.uniqueName, { volume, pods: [pod] });
    }
  }
  return wanted;
}

/** The drivers' volumes of a pod, one for each claim that is bound. */
export function volumesOfPod(pod: Pod, lookup: VolumeLookup): readonly AttachableVolume[] {
  return claimsOfPod(pod).flatMap(({ name, isEphemeral }) => {
    const claim = lookup.claim(pod.metadata.namespace ?? "", name);
    if (!claim || (isEphemeral && !isClaimForPod(claim, pod))) return [];
    if (claim.status.phase !== "Bound" || !claim.spec.volumeName) return [];
    const found = lookup.volume(claim.spec.volumeName);
    if (found?.spec.claimRef?.uid !== claim.metadata.uid) return [];
    return (found && attachableVolume(found)) ?? [];
  });
}

/** The names of volumes that pods claim but nobody finds: what is attached of them stays. */
export const lostVolumes = (pods: readonly Pod[], lookup: VolumeLookup): ReadonlySet<string> =>
  new Set(
    pods.filter(needsVolumes).flatMap((pod) =>
      claimsOfPod(pod)
        .map(({ name }) => lookup.claim(pod.metadata.namespace ?? "", name)?.spec.volumeName ?? "")
        .filter((name) => name !== "" && !lookup.volume(name)),
    ),
  );

/** Whether a pod has not ended: one that is being deleted ends when none of its containers runs. */
export function needsVolumes({ metadata, status }: Pod): boolean {
  if (status.phase === "Failed" || status.phase === "Succeeded") return false;
  if (!metadata.deletionTimestamp) return true;
  const { containerStatuses, initContainerStatuses, ephemeralContainerStatuses } = status;
  return [containerStatuses, initContainerStatuses, ephemeralContainerStatuses].some((list) =>
    list?.some(isRunning),
  );
}

const isRunning = ({ state }: ContainerStatus): boolean => !state?.terminated && !state?.waiting;
