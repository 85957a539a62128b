import {
  boundByController,
  migratedTo,
  provisionedBy,
} from "../../api/core/v1/volume/binding-annotations.ts";
import { isSameMode } from "../../api/core/v1/volume/match-volume.ts";
import type { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import type { RecordedEvent } from "../../controller-runtime/events/event-recorder.ts";

/** What to do with a volume. */
export type VolumeDecision =
  | { readonly type: "set phase"; readonly phase: "Available" | "Bound" }
  /** Its claim is gone, or has another volume. */
  | { readonly type: "reclaim" }
  /** It was meant for a claim that has another volume. */
  | { readonly type: "unbind" }
  /** Its claim can never be bound to it. */
  | {
      readonly type: "mismatch";
      readonly volumeEvent: RecordedEvent;
      readonly claimEvent: RecordedEvent;
    }
  /** The claim is reconciled next, and bound. */
  | { readonly type: "leave to claim" };

/** Decides what to do with a volume; `claim` is the one that it names, in name and uid. */
export function decideVolume(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim | undefined,
): VolumeDecision {
  const { claimRef, persistentVolumeReclaimPolicy } = volume.spec;
  const { name = "", annotations = {} } = volume.metadata;
  if (!claimRef?.uid) return { type: "set phase", phase: "Available" };
  if (!claim) return { type: "reclaim" };
  if (!claim.spec.volumeName)
    return isSameMode(claim, volume) ? { type: "leave to claim" } : mismatch(name, claim);
  if (claim.spec.volumeName === name) return { type: "set phase", phase: "Bound" };
  const isProvisioned = provisionedBy in annotations;
  return isProvisioned && persistentVolumeReclaimPolicy === "Delete"
    ? { type: "reclaim" }
    : { type: "unbind" };
}

function mismatch(name: string, claim: PersistentVolumeClaim): VolumeDecision {
  const event = (note: string): RecordedEvent => ({
    type: "Warning",
    reason: "VolumeMismatch",
    note,
  });
  return {
    type: "mismatch",
    volumeEvent: event(
      `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${claim.metadata.name}" due to incompatible volumeMode.`,
    ),
    claimEvent: event(
      `Cannot bind PersistentVolume "${name}" to requested PersistentVolumeClaim due to incompatible volumeMode.`,
    ),
  };
}

/** Why a released volume cannot be reclaimed; undefined if it is kept, or another program deletes it. */
export function reclaimFailure(volume: PersistentVolume): RecordedEvent | undefined {
  const { metadata, spec } = volume;
  const { [migratedTo]: driver, [provisionedBy]: provisioner } = metadata.annotations ?? {};
  const failure = (reason: string, note: string): RecordedEvent => ({
    type: "Warning",
    reason,
    note,
  });
  if (driver) return undefined;
  switch (spec.persistentVolumeReclaimPolicy) {
    case "Retain":
      return undefined;
    case "Recycle":
      // Recycling was deprecated long ago; no volume is scrubbed here.
      return failure("VolumeFailedRecycle", "No recycler plugin found for the volume!");
    case "Delete":
      if (provisioner)
        return provisioner.startsWith("kubernetes.io/")
          ? failure("VolumeFailedDelete", `no volume plugin matched name: ${provisioner}`)
          : undefined;
      return spec.csi ? undefined : failure("VolumeFailedDelete", noDeleter(volume));
    default:
      return failure(
        "VolumeUnknownReclaimPolicy",
        "Volume has unrecognized PersistentVolumeReclaimPolicy",
      );
  }
}

function noDeleter({ metadata, spec: { nfs, hostPath } }: PersistentVolume): string {
  if (hostPath && !/^\/tmp\/.+/.test(hostPath.path))
    return `host_path deleter only supports /tmp/.+ but received provided ${hostPath.path}`;
  // A controller has no access to files: not even those that upstream's would delete.
  const why = nfs || hostPath ? "no deletable volume plugin matched" : "no volume plugin matched";
  return `error getting deleter volume plugin for volume "${metadata.name}": ${why}`;
}

/** A volume without the claim that it was meant for; one that a user reserved stays reserved. */
export function unbound(volume: PersistentVolume): PersistentVolume {
  const { metadata, spec } = volume;
  const { [boundByController]: isOurs, ...annotations } = metadata.annotations ?? {};
  if (isOurs === undefined) {
    const { uid: _, ...claimRef } = spec.claimRef ?? {};
    return { ...volume, spec: { ...spec, claimRef } };
  }
  const { claimRef: _, ...rest } = spec;
  return { ...volume, metadata: { ...metadata, annotations }, spec: rest };
}
