import { value } from "../../../../schema/language/field.ts";
import type { At } from "../../../../schema/language/report.ts";
import { nameIsDnsSubdomain } from "../../../../schema/values/names.ts";
import { kind, type ObjectOf, type ObjectValue } from "../../../meta/v1/kind.ts";
import { hasInvalidLabelValue } from "../../../meta/v1/label-selector.ts";
import {
  validateFinalizerDomain,
  validateObjectMetaUpdate,
} from "../../../meta/v1/object-meta-validation.ts";
import { persistentVolumeColumns } from "./persistent-volume-columns.ts";
import { PersistentVolumeSpec, PersistentVolumeStatus } from "./persistent-volume-spec.ts";
import { validateVolumeSpec, validateVolumeSpecUpdate } from "./persistent-volume-validation.ts";
import { mountOptionsAnnotation, persistentVolumeWarnings } from "./persistent-volume-warnings.ts";

const fields = {
  spec: value(2, PersistentVolumeSpec).doc("What the volume is, and who may use it."),
  status: value(3, PersistentVolumeStatus).doc("What is known of it."),
};
type Body = ObjectValue<typeof fields>;

export const PersistentVolume = kind({
  group: "",
  version: "v1",
  kind: "PersistentVolume",
  plural: "persistentvolumes",
  shortNames: ["pv"],
  scope: "Cluster",
  doc: "Storage of the cluster, which a claim can be bound to.",
  name: nameIsDnsSubdomain,
  fields,
  subresources: ["status"],
  defaults({ spec, status }) {
    status.phase ||= "Pending";
    spec.persistentVolumeReclaimPolicy ||= "Retain";
    spec.volumeMode ??= "Filesystem";
  },
  rules: [
    (volume, at) => {
      validateSpec(volume, undefined, at);
      validateMountOptions(volume, at);
    },
  ],
  metadataUpdateRules: false,
  // Upstream asks all that it asks of a new volume twice.
  updateRules(volume, old, { at, metadata }) {
    metadata();
    validateSpec(volume, old, at);
    validateMountOptions(volume, at);
    metadata();
    validateSpec(volume, old, at);
    validateVolumeSpecUpdate(volume.spec, old.spec, at);
  },
  statusRules({ metadata }, old, { at }) {
    const here = at.child("metadata");
    validateObjectMetaUpdate(metadata, old.metadata, here);
    for (const [i, finalizer] of (metadata.finalizers ?? []).entries())
      validateFinalizerDomain(finalizer, here.child("finalizers").index(i));
    if (!metadata.resourceVersion) at.required("resourceVersion");
  },
  strategy: {
    initialStatus: (_, { now }) => ({ phase: "Pending", lastPhaseTransitionTime: now }),
    prepareStatus({ status }, old, { now }) {
      const before = old.status.lastPhaseTransitionTime;
      const isUntouched =
        !status.lastPhaseTransitionTime || status.lastPhaseTransitionTime === before;
      if (status.phase !== old.status.phase) {
        if (isUntouched) status.lastPhaseTransitionTime = now;
      } else if (before) status.lastPhaseTransitionTime ??= before;
    },
    deleteReturnsObject: true,
    warnings: persistentVolumeWarnings,
  },
  columns: persistentVolumeColumns,
});
export interface PersistentVolume extends ObjectOf<typeof PersistentVolume> {}

function validateSpec({ metadata, spec }: Body, old: Body | undefined, at: At): void {
  const terms = old?.spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  validateVolumeSpec(spec, at.child("spec"), {
    volumeName: metadata.name ?? "",
    allowInvalidLabelValues: terms.some((term) => hasInvalidLabelValue(term)),
  });
}

/** The sources that know mount options by their annotation. */
const mountable = [
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "nfs",
  "rbd",
  "quobyte",
  "iscsi",
  "cinder",
  "cephfs",
  "azureFile",
  "vsphereVolume",
  "azureDisk",
  "photonPersistentDisk",
] as const;

function validateMountOptions({ metadata, spec }: Body, at: At): void {
  if (metadata.annotations?.[mountOptionsAnnotation] === undefined) return;
  if (mountable.some((source) => spec[source])) return;
  at.forbidden(
    `metadata.annotations.${mountOptionsAnnotation}`,
    "may not specify mount options for this volume type",
  );
}
