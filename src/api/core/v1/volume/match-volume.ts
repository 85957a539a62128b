import { labelSelector } from "../../../../schema/selectors/label-selector.ts";
import {
  compareQuantities,
  parseQuantity,
  type Quantity,
} from "../../../../schema/values/quantity.ts";
import type { Node } from "../node/node.ts";
import { nodeSelectorMatch } from "../scheduling/node-affinity-match.ts";
import { boundByController } from "./binding-annotations.ts";
import type { PersistentVolume } from "./persistent-volume.ts";
import type { PersistentVolumeClaim } from "./persistent-volume-claim.ts";
import { storageClassOf } from "./storage-class-annotation.ts";

/** The class of a claim; empty for none. */
export const classOfClaim = ({ metadata, spec }: PersistentVolumeClaim): string =>
  storageClassOf(metadata, spec.storageClassName);

/** The class of a volume; empty for none. */
export const classOfVolume = ({ metadata, spec }: PersistentVolume): string =>
  storageClassOf(metadata, spec.storageClassName);

/** Whether a volume is bound to a claim, or reserved for a claim of its name. */
export function isBoundTo(
  { spec: { claimRef } }: PersistentVolume,
  { metadata }: PersistentVolumeClaim,
): boolean {
  if (!claimRef || claimRef.name !== metadata.name || claimRef.namespace !== metadata.namespace)
    return false;
  return !claimRef.uid || claimRef.uid === metadata.uid;
}

/** A volume that names its claim; the same volume if it does. */
export function withClaim(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
): PersistentVolume {
  const { metadata, spec } = volume;
  const { namespace, name, uid, resourceVersion } = claim.metadata;
  const isReserved = isBoundTo(volume, claim);
  const isMarked = isReserved || metadata.annotations?.[boundByController] !== undefined;
  const isNamed = isReserved && spec.claimRef?.uid === uid;
  if (isMarked && isNamed) return volume;
  const annotations = { ...metadata.annotations, [boundByController]: "yes" };
  const kind = "PersistentVolumeClaim";
  const claimRef = { kind, namespace, name, uid, apiVersion: "v1", resourceVersion };
  return {
    ...volume,
    metadata: isMarked ? metadata : { ...metadata, annotations },
    spec: isNamed ? spec : { ...spec, claimRef },
  };
}

export interface MatchOptions {
  /** Where the volume is used; undefined while no node is chosen. */
  readonly node?: Node | undefined;
  /** Names of volumes that are taken. */
  readonly taken?: ReadonlySet<string> | undefined;
  /** Whether only volumes that are reserved for the claim count, because the scheduler binds it. */
  readonly isDelayed?: boolean | undefined;
}

/** The volume for a claim: the one that is reserved for it, or the smallest that fits. */
export function matchVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  { node, taken, isDelayed = false }: MatchOptions = {},
): PersistentVolume | undefined {
  const fitting = volumes.filter(
    (volume) => !taken?.has(volume.metadata.name ?? "") && fits(volume, claim),
  );
  const reserved = fitting.find((volume) => isBoundTo(volume, claim));
  // A volume that is reserved for the claim but out of reach rules out the node.
  if (reserved) return !node || reaches(reserved, node) ? reserved : undefined;
  if (isDelayed && !node) return undefined;
  const { selector } = claim.spec;
  const selected = selector ? labelSelector(selector) : undefined;
  const wantedClass = classOfClaim(claim);
  const free = fitting.filter(
    (volume) =>
      volume.status.phase === "Available" &&
      classOfVolume(volume) === wantedClass &&
      (!selected || selected.matches(volume.metadata.labels ?? {})) &&
      (!node || (reaches(volume, node) && hasAccessModes(volume, claim))),
  );
  return free.reduce<PersistentVolume | undefined>(
    (smallest, volume) => (smallest && compareSizes(smallest, volume) <= 0 ? smallest : volume),
    undefined,
  );
}

/** Whether a volume is large enough, of the right sort, and not another claim's. */
function fits(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  if (volume.metadata.deletionTimestamp) return false;
  if (volume.spec.claimRef && !isBoundTo(volume, claim)) return false;
  if (!isSameMode(claim, volume) || attributesOf(claim) !== attributesOf(volume)) return false;
  return isLargeEnough(volume, claim);
}

const compareSizes = (a: PersistentVolume, b: PersistentVolume): number =>
  compareQuantities(storageOf(a.spec.capacity), storageOf(b.spec.capacity));

const isLargeEnough = ({ spec }: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  compareQuantities(storageOf(spec.capacity), storageOf(claim.spec.resources.requests)) >= 0;

/** Why a volume that a claim names cannot be bound to it; undefined if it can. */
export function volumeMismatch(
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
): string | undefined {
  if (volume.metadata.deletionTimestamp)
    return `the volume is marked for deletion "${volume.metadata.name}"`;
  if (!isLargeEnough(volume, claim)) return "requested PV is too small";
  if (classOfVolume(volume) !== classOfClaim(claim)) return "storageClassName does not match";
  if (attributesOf(volume) !== attributesOf(claim))
    return "volumeAttributesClassName does not match";
  if (!isSameMode(claim, volume)) return "incompatible volumeMode";
  return hasAccessModes(volume, claim) ? undefined : "incompatible accessMode";
}

/** Whether both are file systems, or both block devices. */
export const isSameMode = (
  { spec: { volumeMode: wanted = "Filesystem" } }: PersistentVolumeClaim,
  { spec: { volumeMode: given = "Filesystem" } }: PersistentVolume,
): boolean => wanted === given;

/** Whether a volume offers all access modes of a claim. */
export function hasAccessModes(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const offered = new Set(volume.spec.accessModes);
  return (claim.spec.accessModes ?? []).every((mode) => offered.has(mode));
}

/** Whether a volume can be used on a node. */
export function reaches({ spec }: PersistentVolume, node: Node): boolean {
  const required = spec.nodeAffinity?.required;
  return !required || nodeSelectorMatch(required)(node);
}

const attributesOf = ({ spec }: PersistentVolume | PersistentVolumeClaim): string =>
  spec.volumeAttributesClassName ?? "";

const storageOf = (resources: Readonly<Record<string, string>> | undefined): Quantity =>
  parseQuantity(resources?.storage ?? "0");
