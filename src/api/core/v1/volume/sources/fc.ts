import { bool, int32, string, strings } from "../../../../../schema/language/field.ts";
import type { At } from "../../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../../schema/language/struct.ts";

export const FCVolumeSource = struct("io.k8s.api.core.v1.FCVolumeSource", {
  targetWWNs: strings(1).atomic().doc("World wide names of the target."),
  lun: int32(2).pointer().doc("Number of the logical unit of the target."),
  fsType: string(3).doc("The file system that is mounted."),
  readOnly: bool(4).doc("Whether it is mounted read-only."),
  wwids: strings(5).atomic().doc("World wide identifiers of the volume, instead of a target."),
}).doc("A Fibre Channel volume.");
export interface FCVolumeSource extends Infer<typeof FCVolumeSource> {}

export function validateFc({ targetWWNs = [], wwids = [], lun }: FCVolumeSource, at: At): void {
  if (targetWWNs.length === 0 && wwids.length === 0)
    at.required("targetWWNs", "must specify either targetWWNs or wwids, but not both");
  if (targetWWNs.length === 0) return;
  if (wwids.length > 0)
    at.invalid(
      "targetWWNs",
      targetWWNs,
      "targetWWNs and wwids can not be specified simultaneously",
    );
  if (lun === undefined) at.required("lun", "lun is required if targetWWNs is specified");
  else if (lun < 0 || lun > 255) at.invalid("lun", lun, "must be between 0 and 255, inclusive");
}
