import { At } from "../../../../schema/language/report.ts";
import type { ObjectMeta } from "../../../meta/v1/object-meta.ts";
import { nodeSelectorTermWarnings } from "../node/node-label-warnings.ts";
import type { PersistentVolumeSpec } from "./persistent-volume-spec.ts";
import { storageClassAnnotationWarnings } from "./storage-class-annotation.ts";

/** The options that a volume is mounted with, as they were named before there was a field for them. */
export const mountOptionsAnnotation = "volume.beta.kubernetes.io/mount-options";

interface Volume {
  readonly metadata: ObjectMeta;
  readonly spec: PersistentVolumeSpec;
}

/** What to tell the client of a volume: what is on its way out. */
export const persistentVolumeWarnings = ({ metadata, spec }: Volume): readonly string[] => [
  ...storageClassAnnotationWarnings(metadata),
  ...(metadata.annotations?.[mountOptionsAnnotation] === undefined ? [] : [mountOptions]),
  ...(spec.persistentVolumeReclaimPolicy === "Recycle" ? [recycling] : []),
  ...(spec.nodeAffinity?.required?.nodeSelectorTerms ?? []).flatMap((term, i) =>
    nodeSelectorTermWarnings(term, termsPath.index(i), { checkValues: false }),
  ),
  ...oldSources.flatMap(([name, text]) => (spec[name] ? text : [])),
];

const mountOptions = `metadata.annotations[${mountOptionsAnnotation}]: deprecated since v1.31; use "mountOptions" attribute instead`;
const recycling =
  "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.";
const termsPath = At.root().child("spec.nodeAffinity.required.nodeSelectorTerms");

const oldSources = [
  ["cephfs", "spec.cephfs: deprecated in v1.28, non-functional in v1.31+"],
  [
    "photonPersistentDisk",
    "spec.photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+",
  ],
  ["scaleIO", "spec.scaleIO: deprecated in v1.16, non-functional in v1.22+"],
  ["storageos", "spec.storageOS: deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "spec.glusterfs: deprecated in v1.25, non-functional in v1.26+"],
  ["rbd", "spec.rbd: deprecated in v1.28, non-functional in v1.31+"],
] as const;
