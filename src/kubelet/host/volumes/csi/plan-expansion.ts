import type { PersistentVolume } from "../../../../api/core/v1/volume/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../../../../api/core/v1/volume/persistent-volume-claim.ts";
import {
  compareQuantities,
  parseQuantity,
  type Quantity,
} from "../../../../schema/values/quantity.ts";

/** What a node does about the size of a volume. */
export type ExpansionPlan =
  /** Nothing until something changes. */
  | { readonly type: "wait" }
  /** Nothing: the volume has this size on the node. */
  | { readonly type: "done"; readonly size: Quantity }
  /** Nothing but to say that a volume that is only read cannot grow. */
  | { readonly type: "refuse"; readonly size: Quantity }
  | ({ readonly type: "expand" } & Expansion);

/** The growth of a volume by its driver. */
export interface Expansion {
  readonly size: Quantity;
  /** Whether the status of the claim says how far the growth is, as resizers write it since Kubernetes 1.32. */
  readonly isTracked: boolean;
  /** Whether the claim has the size already, because another node has grown the volume. */
  readonly isRecorded: boolean;
  /** Whether a failure means that the size cannot be had: the claim requests another one since. */
  readonly isLastTry: boolean;
}

export interface ExpansionInput {
  readonly claim: PersistentVolumeClaim;
  readonly persistentVolume: PersistentVolume;
  /** The size that the volume has on the node. */
  readonly current: Quantity;
  readonly readOnly: boolean;
  /** Whether an expansion failed for good before. */
  readonly hasFailed: boolean;
}

/** Decides whether a node grows a volume. */
export function planExpansion(input: ExpansionInput): ExpansionPlan {
  const { claim, persistentVolume, current, readOnly, hasFailed } = input;
  const { allocatedResources, allocatedResourceStatuses } = claim.status;
  const offered = storageOf(persistentVolume.spec.capacity);
  if (compareQuantities(offered, current) <= 0) return { type: "done", size: current };
  if (readOnly) return { type: "refuse", size: offered };
  const recorded = storageOf(claim.status.capacity);
  const progress = allocatedResourceStatuses?.storage ?? "";
  if (progress === "" && allocatedResources === undefined) {
    const isRecorded = compareQuantities(recorded, offered) >= 0;
    return { type: "expand", size: offered, isTracked: false, isRecorded, isLastTry: false };
  }
  const size = storageOf(allocatedResources);
  const isRecorded = progress === "" && compareQuantities(recorded, size) >= 0;
  const requested = storageOf(claim.spec.resources?.requests);
  const isLastTry = hasFailed && compareQuantities(requested, size) !== 0;
  if (isRecorded && !growsOnEachNode(claim)) return { type: "done", size };
  if (!isRecorded && !isForNode.has(progress)) return { type: "wait" };
  return { type: "expand", size, isTracked: true, isRecorded, isLastTry };
}

/** The amount of storage in a list of resources. */
export const storageOf = (amounts: { readonly [name: string]: string } | undefined): Quantity =>
  parseQuantity(amounts?.storage ?? "0");

const growsOnEachNode = ({ metadata, spec }: PersistentVolumeClaim): boolean =>
  (spec.accessModes?.includes("ReadWriteMany") ?? false) &&
  !Object.hasOwn(metadata.annotations ?? {}, "volume.kubernetes.io/node-expansion-not-required");

const isForNode: ReadonlySet<string> = new Set(["NodeResizePending", "NodeResizeInProgress"]);
