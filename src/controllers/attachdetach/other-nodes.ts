import { Pod } from "../../api/core/v1/pod/pod.ts";
import { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import { VolumeAttachment } from "../../api/storage/v1/volume-attachment.ts";
import { formatKey } from "../../client/resource-kind.ts";
import type { Cache } from "../../controller-runtime/cache/cache.ts";
import { byClaim } from "../pods-by-claim.ts";
import { type AttachableVolume, attachableVolume, attachmentState } from "./attachment-state.ts";
import { needsVolumes } from "./wanted-volumes.ts";

/** The names of the indexes of volumes by their unique name, and of attachments by volume. */
export const volumesByUniqueName = "uniqueName";
export const attachmentsByVolume = "spec.source.persistentVolumeName";

export type OtherNodes =
  /** No other node has the volume. */
  | { readonly type: "free" }
  /** Another node is about to have it, or to lose it. */
  | { readonly type: "changing" }
  /** Another node has it, where these pods need it. */
  | { readonly type: "taken"; readonly users: readonly Pod[] };

/** Whether other nodes than one have a volume. */
export async function otherNodes(
  volume: AttachableVolume,
  nodeName: string,
  cache: Cache,
): Promise<OtherNodes> {
  const volumes = await cache.byIndex(PersistentVolume, volumesByUniqueName, volume.uniqueName);
  const names = volumes.map(({ metadata }) => metadata.name ?? "");
  const attachments = (await cache.byIndex(VolumeAttachment, attachmentsByVolume, ...names)).filter(
    ({ spec }) => spec.nodeName !== nodeName,
  );
  const taken = attachments.filter((one) => attachmentState(one).type === "attached");
  if (taken.length > 0) {
    const nodes = new Set(taken.map(({ spec }) => spec.nodeName));
    const users = await usersOf(volumes, cache);
    return { type: "taken", users: users.filter(({ spec }) => nodes.has(spec.nodeName ?? "")) };
  }
  // An attacher that failed elsewhere does not keep others from trying.
  const isChanging = attachments.some((one) => attachmentState(one).type !== "failed");
  return { type: isChanging ? "changing" : "free" };
}

/** The pods that need volumes. */
export async function usersOf(
  volumes: readonly PersistentVolume[],
  cache: Cache,
): Promise<readonly Pod[]> {
  const claims = volumes.flatMap(({ spec: { claimRef } }) =>
    claimRef ? formatKey({ namespace: claimRef.namespace, name: claimRef.name ?? "" }) : [],
  );
  const pods = claims.length === 0 ? [] : await cache.byIndex(Pod, byClaim, ...claims);
  return pods.filter((pod) => pod.spec.nodeName && needsVolumes(pod));
}

/** The unique names of a volume for its index. */
export const uniqueNamesOf = (volume: PersistentVolume): readonly string[] => {
  const found = attachableVolume(volume);
  return found ? [found.uniqueName] : [];
};
