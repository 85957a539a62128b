import { bindCompleted } from "../../api/core/v1/volume/binding-annotations.ts";
import { classOfClaim, classOfVolume } from "../../api/core/v1/volume/match-volume.ts";
import { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { formatKey, type ObjectKey } from "../../client/resource-kind.ts";
import type { KindIndex } from "../../controller-runtime/reconcile/controller-definition.ts";

/** Volumes by the claim that they name, and volumes without a claim by their class. */
export const volumesByClaim: KindIndex = {
  kind: PersistentVolume,
  name: "claim",
  valuesOf(object) {
    const volume = object as PersistentVolume;
    const { claimRef } = volume.spec;
    return [claimRef ? ofClaim(claimRef as ObjectKey) : unclaimedOf(classOfVolume(volume))];
  },
};

/** Claims by the volume that they name, and claims without a volume by their class. */
export const claimsByVolume: KindIndex = {
  kind: PersistentVolumeClaim,
  name: "volume",
  valuesOf(object) {
    const claim = object as PersistentVolumeClaim;
    const { volumeName } = claim.spec;
    if (volumeName) return [ofVolume(volumeName)];
    return bindCompleted in (claim.metadata.annotations ?? {})
      ? []
      : [unboundOf(classOfClaim(claim))];
  },
};

export const ofClaim = (key: ObjectKey): string => `claim ${formatKey(key)}`;
export const unclaimedOf = (className: string): string => `class ${className}`;
export const ofVolume = (name: string): string => `volume ${name}`;
export const unboundOf = (className: string): string => `class ${className}`;
