import type { Node } from "../../../api/core/v1/node/node.ts";
import { selectedNode } from "../../../api/core/v1/volume/binding-annotations.ts";
import { classOfClaim, matchVolume, reaches } from "../../../api/core/v1/volume/match-volume.ts";
import type { PersistentVolume } from "../../../api/core/v1/volume/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../../../api/core/v1/volume/persistent-volume-claim.ts";
import type { StorageClass } from "../../../api/storage/v1/storage-class.ts";
import { compareQuantities, parseQuantity } from "../../../schema/values/quantity.ts";
import type { SortedClaims } from "./claims-of-pod.ts";

/** A claim and the volume that it will be bound to. */
export interface Binding {
  readonly claim: PersistentVolumeClaim;
  readonly volume: PersistentVolume;
}

/** How the unbound claims of a pod get volumes on a node. */
export interface PodVolumes {
  readonly bindings: readonly Binding[];
  readonly provisions: readonly PersistentVolumeClaim[];
}

export const conflicts = {
  unreachable: "node(s) didn't match PersistentVolume's node affinity",
  unmatched: "node(s) didn't find available persistent volumes to bind",
  full: "node(s) did not have enough free storage",
  missing: "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
} as const;

export type Conflict = keyof typeof conflicts;

/** What is known of volumes. */
export interface VolumeLookups {
  volume(name: string): PersistentVolume | undefined;
  /** The volumes of a class. */
  volumesOfClass(name: string): readonly PersistentVolume[];
  storageClass(name: string): StorageClass | undefined;
  /** Whether a provisioner has room for a claim near a node. */
  hasRoom(claim: PersistentVolumeClaim, storageClass: StorageClass, node: Node): boolean;
}

/** How the claims of a pod can be used on a node, or why they cannot. */
export function findPodVolumes(
  { bound, delayed }: SortedClaims,
  node: Node,
  lookups: VolumeLookups,
): PodVolumes | readonly Conflict[] {
  const reasons: Conflict[] = [];
  const problem = boundProblem(bound, node, lookups);
  const found = delayed.length === 0 ? nothing : delayedVolumes(delayed, node, lookups);
  if (problem === "unreachable") reasons.push(problem);
  if (typeof found === "string") reasons.push(found);
  if (problem === "missing") reasons.push(problem);
  return typeof found === "string" || reasons.length > 0 ? reasons : found;
}

const nothing: PodVolumes = { bindings: [], provisions: [] };

function boundProblem(
  claims: readonly PersistentVolumeClaim[],
  node: Node,
  lookups: VolumeLookups,
): "unreachable" | "missing" | undefined {
  for (const { spec } of claims) {
    const volume = lookups.volume(spec.volumeName ?? "");
    if (!volume) return "missing";
    if (!reaches(volume, node)) return "unreachable";
  }
  return undefined;
}

function delayedVolumes(
  claims: readonly PersistentVolumeClaim[],
  node: Node,
  lookups: VolumeLookups,
): PodVolumes | "unmatched" | "full" {
  const provisions: PersistentVolumeClaim[] = [];
  const unmatched: PersistentVolumeClaim[] = [];
  for (const claim of claims) {
    const selected = claim.metadata.annotations?.[selectedNode];
    if (selected === undefined) unmatched.push(claim);
    else if (selected === node.metadata.name) provisions.push(claim);
    else return "unmatched";
  }
  const bindings: Binding[] = [];
  const taken = new Set<string>();
  for (const claim of unmatched.sort(bySize)) {
    const volumes = lookups.volumesOfClass(classOfClaim(claim));
    const volume = matchVolume(claim, volumes, { node, taken, isDelayed: true });
    if (!volume) provisions.push(claim);
    else {
      taken.add(volume.metadata.name ?? "");
      bindings.push({ claim, volume });
    }
  }
  for (const claim of provisions) {
    const problem = provisioningProblem(claim, node, lookups);
    if (problem) return problem;
  }
  return { bindings, provisions };
}

function provisioningProblem(
  claim: PersistentVolumeClaim,
  node: Node,
  lookups: VolumeLookups,
): "unmatched" | "full" | undefined {
  const name = classOfClaim(claim);
  const storageClass = lookups.storageClass(name);
  if (!storageClass) throw new Error(`failed to find storage class "${name}"`);
  const { provisioner } = storageClass;
  if (provisioner === "" || provisioner === "kubernetes.io/no-provisioner") return "unmatched";
  if (!isAllowed(storageClass, node)) return "unmatched";
  return lookups.hasRoom(claim, storageClass, node) ? undefined : "full";
}

/** Whether volumes of a class may be made near a node. */
function isAllowed({ allowedTopologies = [] }: StorageClass, { metadata }: Node): boolean {
  if (allowedTopologies.length === 0) return true;
  return allowedTopologies.some(
    ({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.length > 0 &&
      matchLabelExpressions.every(({ key, values }) => {
        const value = metadata.labels?.[key];
        return value !== undefined && (values ?? []).includes(value);
      }),
  );
}

/** The smallest claims choose first. */
const bySize = (a: PersistentVolumeClaim, b: PersistentVolumeClaim): number =>
  compareQuantities(requestOf(a), requestOf(b));

const requestOf = ({ spec }: PersistentVolumeClaim) =>
  parseQuantity(spec.resources.requests?.storage ?? "0");
