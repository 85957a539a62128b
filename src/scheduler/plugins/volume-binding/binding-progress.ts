import type { Node } from "../../../api/core/v1/node/node.ts";
import { selectedNode } from "../../../api/core/v1/volume/binding-annotations.ts";
import { reaches } from "../../../api/core/v1/volume/match-volume.ts";
import type { PersistentVolume } from "../../../api/core/v1/volume/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../../../api/core/v1/volume/persistent-volume-claim.ts";
import type { CacheReader } from "../../../client/informer/informer-options.ts";
import { formatKey, type KubernetesObject, keyOf } from "../../../client/resource-kind.ts";
import { isAtLeast } from "../../../client/resource-version.ts";
import { quote } from "../../../schema/values/quote.ts";
import { isFullyBound } from "./claims-of-pod.ts";
import type { PodVolumes } from "./find-pod-volumes.ts";

export interface BindingCaches {
  readonly node: Node;
  readonly claims: CacheReader<PersistentVolumeClaim>;
  readonly volumes: CacheReader<PersistentVolume>;
}

/** Whether all claims are bound after `written` was; throws if they will not be. */
export function areAllBound(
  { bindings, provisions }: PodVolumes,
  { node, claims, volumes }: BindingCaches,
): boolean {
  for (const binding of bindings) {
    const volume = volumes.get(keyOf(binding.volume));
    if (!volume) throw missing("binding", "persistentvolumes", binding.volume);
    const claim = claims.get(keyOf(binding.claim));
    if (!claim) throw missing("binding", "persistentvolumeclaims", binding.claim);
    if (!isCurrent(volume, binding.volume)) return false;
    checkReach(volume, node);
    if (!volume.spec.claimRef?.uid)
      throw new Error(`ClaimRef got reset for pv "${volume.metadata.name}"`);
    if (!isFullyBound(claim)) return false;
  }
  return provisions.every((written) => isProvisioned(written, { node, claims, volumes }));
}

function isProvisioned(
  written: PersistentVolumeClaim,
  { node, claims, volumes }: BindingCaches,
): boolean {
  const claim = claims.get(keyOf(written));
  const { name = "" } = written.metadata;
  if (!claim) throw missing("provisioning pvc", "persistentvolumeclaims", written);
  if (!isCurrent(claim, written)) return false;
  if (!claim.metadata.annotations)
    throw new Error(`selectedNode annotation reset for PVC "${name}"`);
  if (claim.metadata.annotations[selectedNode] !== node.metadata.name)
    throw new Error(`provisioning failed for PVC "${name}"`);
  if (claim.spec.volumeName) {
    const volume = volumes.get({ name: claim.spec.volumeName });
    if (!volume) return false;
    checkReach(volume, node);
  }
  return isFullyBound(claim);
}

const missing = (work: string, resource: string, object: KubernetesObject): Error =>
  new Error(`failed to check ${work}: ${resource} ${quote(formatKey(keyOf(object)))} not found`);

function checkReach(volume: PersistentVolume, node: Node): void {
  if (!reaches(volume, node))
    throw new Error(
      `pv "${volume.metadata.name}" node affinity doesn't match node "${node.metadata.name}": no matching NodeSelectorTerms`,
    );
}

/** Whether the cache shows a write, or something later. */
const isCurrent = (cached: KubernetesObject, written: KubernetesObject): boolean =>
  isAtLeast(cached.metadata.resourceVersion ?? "", written.metadata.resourceVersion ?? "");
