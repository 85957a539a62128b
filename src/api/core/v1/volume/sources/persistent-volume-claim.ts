import { bool, string } from "../../../../../schema/language/field.ts";
import type { At } from "../../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../../schema/language/struct.ts";

export const PersistentVolumeClaimVolumeSource = struct(
  "io.k8s.api.core.v1.PersistentVolumeClaimVolumeSource",
  {
    claimName: string(1).always().expected().doc("Name of the claim, in the pod's namespace."),
    readOnly: bool(2).doc("Whether all mounts of the volume are read-only."),
  },
).doc("The volume that a claim is bound to.");
export interface PersistentVolumeClaimVolumeSource
  extends Infer<typeof PersistentVolumeClaimVolumeSource> {}

export function validateClaimSource(
  { claimName }: PersistentVolumeClaimVolumeSource,
  at: At,
): void {
  if (!claimName) at.required("claimName");
}
