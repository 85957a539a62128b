import { bool, int32, message, string, strings } from "../../../../../schema/language/field.ts";
import type { At } from "../../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../../schema/language/struct.ts";
import { LocalObjectReference } from "../../object-reference.ts";

export const ISCSIVolumeSource = struct("io.k8s.api.core.v1.ISCSIVolumeSource", {
  targetPortal: string(1).always().expected().doc("Address of the target, with its port if odd."),
  iqn: string(2).always().expected().doc("The target's qualified name."),
  lun: int32(3).always().expected().doc("Number of the logical unit."),
  iscsiInterface: string(4).default("default").doc("The interface that the initiator uses."),
  fsType: string(5).doc("The file system that is mounted."),
  readOnly: bool(6).doc("Whether it is mounted read-only."),
  portals: strings(7).atomic().doc("Further addresses of the target."),
  chapAuthDiscovery: bool(8).doc("Whether discovery is authenticated with CHAP."),
  chapAuthSession: bool(11).doc("Whether sessions are authenticated with CHAP."),
  secretRef: message(10, LocalObjectReference).doc("The secret with the CHAP credentials."),
  initiatorName: string(12).pointer().doc("The name by which the initiator calls itself."),
}).doc("A logical unit of an iSCSI target.");
export interface ISCSIVolumeSource extends Infer<typeof ISCSIVolumeSource> {}

export function validateIscsi(source: ISCSIVolumeSource, at: At): void {
  const { targetPortal, iqn, lun, initiatorName } = source;
  if (!targetPortal) at.required("targetPortal");
  if (!iqn) at.required("iqn");
  else at.invalidEach("iqn", iqn, qualifiedNameFaults(iqn));
  if (lun < 0 || lun > 255) at.invalid("lun", lun, "must be between 0 and 255, inclusive");
  if ((source.chapAuthDiscovery || source.chapAuthSession) && !source.secretRef)
    at.required("secretRef");
  if (initiatorName !== undefined)
    at.invalidEach("initiatorname", initiatorName, qualifiedNameFaults(initiatorName));
}

const formats: readonly (readonly [prefix: string, form: RegExp])[] = [
  ["iqn", /iqn\.\d{4}-\d{2}\.([A-Za-z0-9.-]+)(:[^,;*&$|\t\n\f\r ]+)$/u],
  ["eui", /^eui[^\n][A-Za-z0-9]{16}$/u],
  ["naa", /^naa[^\n][A-Za-z0-9]{32}$/u],
];

/** What is wrong with the name of a target or initiator. */
export function qualifiedNameFaults(name: string): readonly string[] {
  const format = formats.find(([prefix]) => name.startsWith(prefix));
  if (!format) return ["must be valid format starting with iqn, eui, or naa"];
  return format[1].test(name) ? [] : ["must be valid format"];
}
