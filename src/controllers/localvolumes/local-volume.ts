import type { Node } from "../../api/core/v1/node/node.ts";
import { boundByController, provisionedBy } from "../../api/core/v1/volume/binding-annotations.ts";
import { classOfClaim } from "../../api/core/v1/volume/match-volume.ts";
import type { PersistentVolume } from "../../api/core/v1/volume/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../../api/core/v1/volume/persistent-volume-claim.ts";
import {
  localProvisioner,
  localVolumesRoot,
  volumeNode,
} from "../../api/core/v1/volume/wherry-local-volume.ts";
import type { StorageClass } from "../../api/storage/v1/storage-class.ts";

type VolumeInput = NonNullable<(typeof PersistentVolume)["$input"]>;

export interface LocalVolumeRequest {
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
  /** The node that the scheduler chose. */
  readonly node: Node;
}

/** Why no folder of a node serves a claim; undefined if one does. */
export function unsuitable({ spec }: PersistentVolumeClaim): string | undefined {
  if (spec.volumeMode === "Block") return "only file systems are provisioned, not block devices";
  if (spec.dataSource || spec.dataSourceRef) return "volumes begin empty, without a data source";
  if (spec.selector) return "claims with a selector are not supported";
  if (spec.volumeAttributesClassName) return "attributes classes are not supported";
  const shared = spec.accessModes?.find((mode) => !ofOneNode.has(mode));
  return shared && `access mode ${shared} is not supported: the volume is a folder of one node`;
}

const ofOneNode = new Set(["ReadWriteOnce", "ReadWriteOncePod"]);

/** The name of a claim's volume; a claim never gets a second one. */
export const localVolumeName = ({ metadata }: PersistentVolumeClaim): string =>
  `pvc-${metadata.uid}`;

/** The volume for a claim: a folder of a node, which makes it when a pod first uses it. */
export function localVolume({ claim, storageClass, node }: LocalVolumeRequest): VolumeInput {
  const { namespace, uid, resourceVersion } = claim.metadata;
  const name = localVolumeName(claim);
  const nodeName = node.metadata.name ?? "";
  const hostname = node.metadata.labels?.[hostnameLabel] ?? nodeName;
  const matchExpressions = [{ key: hostnameLabel, operator: "In", values: [hostname] }];
  return {
    metadata: {
      name,
      annotations: {
        [boundByController]: "yes",
        [provisionedBy]: localProvisioner,
        [volumeNode]: nodeName,
      },
    },
    spec: {
      capacity: { storage: claim.spec.resources.requests?.storage ?? "0" },
      accessModes: claim.spec.accessModes,
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? "Delete",
      storageClassName: classOfClaim(claim),
      mountOptions: storageClass.mountOptions,
      volumeMode: "Filesystem",
      local: { path: `${localVolumesRoot}/${name}` },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
      claimRef: {
        kind: "PersistentVolumeClaim",
        namespace,
        name: claim.metadata.name,
        uid,
        apiVersion: "v1",
        resourceVersion,
      },
    },
  };
}

const hostnameLabel = "kubernetes.io/hostname";

export type LocalVolumeStep = "delete" | "forget data";

/** What to do with a volume; `hasNode` is whether the node of its folder exists. */
export function localVolumeStep(
  { metadata, spec, status }: PersistentVolume,
  hasNode: boolean,
): LocalVolumeStep | undefined {
  if (metadata.annotations?.[provisionedBy] !== localProvisioner) return undefined;
  // The data is gone with its node, which cannot say so any more.
  if (metadata.deletionTimestamp) return hasNode ? undefined : "forget data";
  const isReleased = status.phase === "Released" || status.phase === "Failed";
  return isReleased && spec.persistentVolumeReclaimPolicy === "Delete" ? "delete" : undefined;
}
