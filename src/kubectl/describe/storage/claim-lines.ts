import type { PersistentVolumeClaimSpec } from "../../../api/core/v1/volume/persistent-volume-claim-spec.ts";
import type { PersistentVolumeClaimStatus } from "../../../api/core/v1/volume/persistent-volume-claim-status.ts";
import type { ObjectMeta } from "../../../api/meta/v1/object-meta.ts";
import type { Clock } from "../../../base/clock.ts";
import { goString } from "../../../schema/values/go-print.ts";
import type { Description } from "../description.ts";
import { annotationLines, labelLines } from "../metadata-lines.ts";
import { amountOf, quantityText } from "../quantities.ts";
import { sinceText } from "../time-text.ts";

interface Claim {
  readonly metadata?: ObjectMeta | undefined;
  readonly spec?: PersistentVolumeClaimSpec | undefined;
  readonly status?: PersistentVolumeClaimStatus | undefined;
}

/** What a claim and the template of a claim have in common. */
export function claimSpecLines(d: Description, claim: Claim): void {
  d.field("StorageClass", claimClass(claim));
  volumeLines(d, claim);
  contentLines(d, claim);
}

/** All of a claim. */
export function claimLines(d: Description, claim: Claim, clock: Clock): void {
  const { metadata = {}, status } = claim;
  d.field("Name", metadata.name ?? "");
  d.field("Namespace", metadata.namespace ?? "");
  d.field("StorageClass", claimClass(claim));
  d.field("Status", phaseText(metadata, status?.phase, clock));
  volumeLines(d, claim);
  d.field("Finalizers", goString(metadata.finalizers ?? []));
  contentLines(d, claim);
}

/** The phase of a volume or claim, or since when it is being deleted. */
export const phaseText = (
  { deletionTimestamp }: ObjectMeta,
  phase: string | undefined,
  clock: Clock,
): string =>
  deletionTimestamp ? `Terminating (lasts ${sinceText(deletionTimestamp, clock)})` : (phase ?? "");

/** The class of a claim: an old annotation counts more than the field. */
export const claimClass = ({ metadata, spec }: Claim): string =>
  metadata?.annotations?.[classAnnotation] ?? spec?.storageClassName ?? "";

export const classAnnotation = "volume.beta.kubernetes.io/storage-class";

function volumeLines(d: Description, { metadata, spec }: Claim): void {
  d.field("Volume", spec?.volumeName ?? "");
  labelLines(d, "Labels", metadata?.labels);
  annotationLines(d, "Annotations", metadata?.annotations);
}

function contentLines(d: Description, { spec, status }: Claim): void {
  const { volumeName, volumeMode, dataSource } = spec ?? {};
  d.field("Capacity", volumeName ? quantityText(amountOf(status?.capacity, "storage")) : "");
  d.field("Access Modes", volumeName ? accessModesText(status?.accessModes) : "");
  d.optionalField("VolumeMode", volumeMode);
  if (!dataSource) return;
  d.line("DataSource:");
  d.optionalField("APIGroup", dataSource.apiGroup, 1);
  d.field("Kind", dataSource.kind ?? "", 1);
  d.field("Name", dataSource.name ?? "", 1);
}

const shortModes = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

/** Access modes in short form, always in the same order. */
export const accessModesText = (modes: readonly string[] | undefined): string =>
  Object.entries(shortModes)
    .filter(([mode]) => modes?.includes(mode))
    .map(([, short]) => short)
    .join(",");
