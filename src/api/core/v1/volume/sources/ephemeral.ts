import { message } from "../../../../../schema/language/field.ts";
import type { At } from "../../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../../schema/language/struct.ts";
import {
  PersistentVolumeClaimTemplate,
  validateClaimTemplate,
} from "../persistent-volume-claim-template.ts";

export const EphemeralVolumeSource = struct("io.k8s.api.core.v1.EphemeralVolumeSource", {
  volumeClaimTemplate: message(1, PersistentVolumeClaimTemplate).doc(
    "The claim that is made for the pod, and goes with it.",
  ),
}).doc("A volume that is provisioned for the pod and goes with it.");
export interface EphemeralVolumeSource extends Infer<typeof EphemeralVolumeSource> {}

export function validateEphemeral({ volumeClaimTemplate }: EphemeralVolumeSource, at: At): void {
  if (!volumeClaimTemplate) at.required("volumeClaimTemplate");
  else validateClaimTemplate(volumeClaimTemplate, at.child("volumeClaimTemplate"));
}
