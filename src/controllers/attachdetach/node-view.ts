import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { claimsOfPod } from "../../api/core/v1/pod/pod-claims.ts";
import {
  attachmentName,
  type CsiVolumeKey,
  csiKeyOfName,
  csiUniqueName,
} from "../../api/core/v1/volume/csi-volume-key.ts";
import { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import { CSIDriver } from "../../api/storage/v1/csi-driver.ts";
import { VolumeAttachment } from "../../api/storage/v1/volume-attachment.ts";
import { formatKey } from "../../client/resource-kind.ts";
import type { Cache } from "../../controller-runtime/cache/cache.ts";
import { byNode } from "../pods-by-node.ts";
import {
  lostVolumes,
  type VolumeLookup,
  type WantedVolume,
  wantedVolumes,
} from "./wanted-volumes.ts";

/** The name of the index of attachments by node. */
export const attachmentsByNode = "spec.nodeName";

/** A node, the volumes that its pods need, and what is attached to it. */
export interface NodeView {
  readonly node: Node | undefined;
  readonly pods: readonly Pod[];
  readonly lookup: VolumeLookup;
  readonly wanted: ReadonlyMap<string, WantedVolume>;
  readonly attachments: readonly KnownAttachment[];
}

/** An attachment whose volume is known. */
export interface KnownAttachment extends CsiVolumeKey {
  readonly object: VolumeAttachment;
  readonly uniqueName: string;
  readonly isWanted: boolean;
}

/** Whether the kubelet of a node leaves its volumes to the controller. */
export const isManaged = ({ metadata }: Node): boolean =>
  metadata.annotations?.["volumes.kubernetes.io/controller-managed-attach-detach"] !== undefined;

/** Reads all that decides on the volumes of a node. */
export async function viewNode(name: string, cache: Cache): Promise<NodeView> {
  const node = await cache.get(Node, { name });
  const pods = await cache.byIndex(Pod, byNode, name);
  const lookup = await lookupFor(pods, cache);
  // Pods of a node that is gone keep their volumes until they are gone, too.
  const isOurs = !node || isManaged(node);
  const wanted = isOurs ? wantedVolumes(pods, lookup) : new Map<string, WantedVolume>();
  const lost = lostVolumes(pods, lookup);
  const found = await cache.byIndex(VolumeAttachment, attachmentsByNode, name);
  const attachments: KnownAttachment[] = [];
  for (const object of found) {
    const source = object.spec.source.persistentVolumeName ?? "";
    const volume = await cache.get(PersistentVolume, { name: source });
    const key = keyOfAttachment(object, volume, node);
    if (!key) continue;
    const uniqueName = csiUniqueName(key);
    const isWanted = wanted.has(uniqueName) || lost.has(source);
    attachments.push({ ...key, object, uniqueName, isWanted });
  }
  return { node, pods, lookup, wanted, attachments };
}

/** Finds the volume of an attachment; undefined where its name says that others made it. */
function keyOfAttachment(
  { metadata, spec }: VolumeAttachment,
  volume: PersistentVolume | undefined,
  node: Node | undefined,
): CsiVolumeKey | undefined {
  const csi = volume?.spec.csi;
  const { volumesAttached = [], volumesInUse = [] } = node?.status ?? {};
  // Without the persistent volume, the status of the node still knows the volume.
  const reported = [...volumesAttached.map((attached) => attached.name), ...volumesInUse];
  const keys = csi
    ? [{ driver: csi.driver, handle: csi.volumeHandle }]
    : reported.flatMap((name) => csiKeyOfName(name) ?? []);
  return keys.find((key) => attachmentName(key, spec.nodeName) === metadata.name);
}

async function lookupFor(pods: readonly Pod[], cache: Cache): Promise<VolumeLookup> {
  const claims = new Map<string, PersistentVolumeClaim>();
  const volumes = new Map<string, PersistentVolume>();
  const drivers = new Map<string, CSIDriver | undefined>();
  for (const pod of pods) {
    for (const { name } of claimsOfPod(pod)) {
      const key = { namespace: pod.metadata.namespace, name };
      const claim = await cache.get(PersistentVolumeClaim, key);
      const volumeName = claim?.spec.volumeName;
      if (!claim || !volumeName) continue;
      claims.set(formatKey(key), claim);
      const volume = await cache.get(PersistentVolume, { name: volumeName });
      if (!volume) continue;
      volumes.set(volumeName, volume);
      const driver = volume.spec.csi?.driver;
      if (driver) drivers.set(driver, await cache.get(CSIDriver, { name: driver }));
    }
  }
  return {
    claim: (namespace, name) => claims.get(formatKey({ namespace, name })),
    volume: (name) => volumes.get(name),
    needsAttachment: (driver) => drivers.get(driver)?.spec.attachRequired !== false,
  };
}
