import { bool, message, string, stringMap } from "../../../../../schema/language/field.ts";
import type { At } from "../../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../../schema/language/struct.ts";
import { LocalObjectReference } from "../../object-reference.ts";

export const FlexVolumeSource = struct("io.k8s.api.core.v1.FlexVolumeSource", {
  driver: string(1).always().expected().doc("Name of the driver."),
  fsType: string(2).doc("The file system that is mounted."),
  secretRef: message(3, LocalObjectReference).doc("The secret that is handed to the driver."),
  readOnly: bool(4).doc("Whether it is mounted read-only."),
  options: stringMap(5).doc("Further options for the driver."),
}).doc("A volume that a driver on the node provides and attaches.");
export interface FlexVolumeSource extends Infer<typeof FlexVolumeSource> {}

export function validateFlexVolume(
  { driver, options }: Pick<FlexVolumeSource, "driver" | "options">,
  at: At,
): void {
  if (!driver) at.required("driver");
  for (const key of Object.keys(options ?? {})) {
    const namespace = key.split("/", 1)[0] ?? "";
    if (/(^|\.)(kubernetes|k8s)\.io$/i.test(namespace))
      at.child("options")
        .key(key)
        .invalid("", key, "kubernetes.io and k8s.io namespaces are reserved");
  }
}
