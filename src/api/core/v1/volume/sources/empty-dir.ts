import { named, quantity } from "../../../../../schema/language/field.ts";
import type { At } from "../../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../../schema/language/struct.ts";
import { parseQuantity, quantitySign } from "../../../../../schema/values/quantity.ts";

export const EmptyDirVolumeSource = struct("io.k8s.api.core.v1.EmptyDirVolumeSource", {
  medium: named(1, "v1.StorageMedium")
    .known("", "Memory", "HugePages", "HugePages-")
    .doc("What holds the data: the node's disk if not given, Memory, or huge pages."),
  sizeLimit: quantity(2).doc("The most it may hold; without it, as much as there is room."),
}).doc("A folder that is empty at first and goes with the pod.");
export interface EmptyDirVolumeSource extends Infer<typeof EmptyDirVolumeSource> {}

export function validateEmptyDir({ sizeLimit }: EmptyDirVolumeSource, at: At): void {
  if (sizeLimit !== undefined && quantitySign(parseQuantity(sizeLimit)) < 0)
    at.forbidden("sizeLimit", "SizeLimit field must be a valid resource quantity");
}
