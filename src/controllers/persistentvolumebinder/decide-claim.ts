import {
  bindCompleted,
  boundByController,
  selectedNode,
} from "../../api/core/v1/volume/binding-annotations.ts";
import { classOfClaim, isBoundTo, volumeMismatch } from "../../api/core/v1/volume/match-volume.ts";
import type { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { storageClassAnnotation } from "../../api/core/v1/volume/storage-class-annotation.ts";
import type { StorageClass } from "../../api/storage/v1/storage-class.ts";
import type { RecordedEvent } from "../../controller-runtime/events/event-recorder.ts";
import { bestVolume } from "./best-volume.ts";
import { type ProvisioningStep, provisioningStep } from "./provisioning-step.ts";

/** What to do with a claim. */
export type ClaimDecision =
  | { readonly type: "bind"; readonly volume: PersistentVolume }
  /** It stays pending, or becomes it. */
  | { readonly type: "wait"; readonly event?: RecordedEvent | undefined }
  | { readonly type: "lose"; readonly event: RecordedEvent }
  | { readonly type: "set class"; readonly className: string }
  | ProvisioningStep
  /** It should not be as it is; whoever made it so may correct it. */
  | { readonly type: "fail"; readonly event: RecordedEvent; readonly message: string };

/** What is known beside a claim. */
export interface ClaimSurroundings {
  /** The volumes that may be bound to it: those without a claim in its class, and those that name it. */
  readonly volumes: readonly PersistentVolume[];
  /** The volume that the claim names. */
  readonly named?: PersistentVolume | undefined;
  readonly storageClass?: StorageClass | undefined;
  /** The name of the default class. */
  readonly defaultClass?: string | undefined;
  /** Names of pods without a node that use the claim. */
  readonly waitingPods?: readonly string[] | undefined;
  /** Whether volumes are provisioned for claims. */
  readonly provisions?: boolean | undefined;
}

/** Decides what to do with a claim. */
export function decideClaim(
  claim: PersistentVolumeClaim,
  surroundings: ClaimSurroundings,
): ClaimDecision {
  const { annotations = {} } = claim.metadata;
  if (bindCompleted in annotations) return decideBound(claim, surroundings.named);
  return claim.spec.volumeName
    ? decideNamed(claim, surroundings.named)
    : decideUnbound(claim, surroundings);
}

function decideUnbound(
  claim: PersistentVolumeClaim,
  { volumes, storageClass, defaultClass, waitingPods = [], provisions = true }: ClaimSurroundings,
): ClaimDecision {
  const { annotations = {} } = claim.metadata;
  const isDelayed = storageClass?.volumeBindingMode === "WaitForFirstConsumer";
  const volume = bestVolume(claim, volumes, isDelayed);
  if (volume) return { type: "bind", volume };
  const hasClass =
    claim.spec.storageClassName !== undefined || storageClassAnnotation in annotations;
  if (!hasClass && defaultClass !== undefined)
    return { type: "set class", className: defaultClass };
  if (isDelayed && !(selectedNode in annotations))
    return { type: "wait", event: waitsForPod(waitingPods) };
  const className = classOfClaim(claim);
  if (className !== "") return provisioningStep({ className, storageClass, provisions });
  const note = "no persistent volumes available for this claim and no storage class is set";
  return { type: "wait", event: { type: "Normal", reason: "FailedBinding", note } };
}

function waitsForPod(pods: readonly string[]): RecordedEvent {
  const type = "Normal";
  if (pods.length === 0)
    return {
      type,
      reason: "WaitForFirstConsumer",
      note: "waiting for first consumer to be created before binding",
    };
  const which = pods.length > 1 ? "pods" : "pod";
  const note = `waiting for ${which} ${pods.join(",")} to be scheduled`;
  return { type, reason: "WaitForPodScheduled", note };
}

/** The claim names a volume, and has not been bound to it. */
function decideNamed(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume | undefined,
): ClaimDecision {
  if (!volume) return { type: "wait" };
  const name = volume.metadata.name ?? "";
  const { claimRef } = volume.spec;
  if (claimRef) {
    if (isBoundTo(volume, claim)) return { type: "bind", volume };
    const note = `volume "${name}" already bound to a different claim.`;
    const event = { type: "Warning", reason: "FailedBinding", note } as const;
    const { namespace, annotations = {} } = claim.metadata;
    if (!(boundByController in annotations)) return { type: "wait", event };
    const message = `invalid binding of claim "${namespace}/${claim.metadata.name}" to volume "${name}": volume already claimed by "${claimRef.namespace}/${claimRef.name}"`;
    return { type: "fail", event, message };
  }
  const mismatch = volumeMismatch(volume, claim);
  if (mismatch === undefined) return { type: "bind", volume };
  const note = `Cannot bind to requested volume "${name}": ${mismatch}`;
  return { type: "wait", event: { type: "Warning", reason: "VolumeMismatch", note } };
}

/** The claim was bound before. */
function decideBound(
  { metadata, spec }: PersistentVolumeClaim,
  volume: PersistentVolume | undefined,
): ClaimDecision {
  if (!spec.volumeName)
    return lost(
      "ClaimLost",
      "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!",
    );
  if (!volume)
    return lost(
      "ClaimLost",
      "Bound claim has lost its PersistentVolume. Data on the volume is lost!",
    );
  const { claimRef } = volume.spec;
  if (!claimRef || claimRef.uid === metadata.uid) return { type: "bind", volume };
  return lost(
    "ClaimMisbound",
    "Two claims are bound to the same volume, this one is bound incorrectly",
  );
}

const lost = (reason: string, note: string): ClaimDecision => ({
  type: "lose",
  event: { type: "Warning", reason, note },
});
