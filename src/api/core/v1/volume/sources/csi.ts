import { bool, message, string, stringMap } from "../../../../../schema/language/field.ts";
import type { At } from "../../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../../schema/language/struct.ts";
import { isDns1123Subdomain, nameIsDnsSubdomain } from "../../../../../schema/values/names.ts";
import { LocalObjectReference } from "../../object-reference.ts";

export const CSIVolumeSource = struct("io.k8s.api.core.v1.CSIVolumeSource", {
  driver: string(1).always().expected().doc("Name of the driver."),
  readOnly: bool(2).pointer().doc("Whether it is mounted read-only."),
  fsType: string(3).pointer().doc("The file system that is mounted, if the driver minds."),
  volumeAttributes: stringMap(4).doc("What the driver wants to know of the volume."),
  nodePublishSecretRef: message(5, LocalObjectReference).doc(
    "The secret that the driver gets when it mounts the volume.",
  ),
}).doc("A volume that a CSI driver makes for the pod.");
export interface CSIVolumeSource extends Infer<typeof CSIVolumeSource> {}

export function validateCsi({ driver, nodePublishSecretRef }: CSIVolumeSource, at: At): void {
  validateCsiDriverName(driver, at.child("driver"));
  if (!nodePublishSecretRef) return;
  const { name } = nodePublishSecretRef;
  if (!name) at.required("nodePublishSecretRef.name");
  else at.invalidEach("name", name, nameIsDnsSubdomain(name));
}

/** The name of a CSI driver: a DNS subdomain in any case, and short. */
export function validateCsiDriverName(name: string, at: At): void {
  if (!name) {
    at.required();
    return;
  }
  if (new TextEncoder().encode(name).length > 63) at.tooLong("", 63);
  at.invalidEach("", name, isDns1123Subdomain(name.toLowerCase()));
}
