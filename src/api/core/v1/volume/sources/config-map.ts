import { bool, inline, int32, list } from "../../../../../schema/language/field.ts";
import type { At } from "../../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../../schema/language/struct.ts";
import { LocalObjectReference } from "../../object-reference.ts";
import { KeyToPath, validateFileMode, validateItems } from "../key-to-path.ts";

export const ConfigMapVolumeSource = struct("io.k8s.api.core.v1.ConfigMapVolumeSource", {
  ...inline(1, LocalObjectReference),
  items: list(2, KeyToPath).atomic().doc("The keys that become files; without it, all of them."),
  defaultMode: int32(3).pointer().default(0o644).doc("Permissions of files that name none."),
  optional: bool(4).pointer().doc("Whether the pod may start without the ConfigMap or its keys."),
}).doc("The values of a ConfigMap as files.");
export interface ConfigMapVolumeSource extends Infer<typeof ConfigMapVolumeSource> {}

export function validateConfigMapSource(source: ConfigMapVolumeSource, at: At): void {
  if (!source.name) at.required("name");
  validateFileMode("defaultMode", source.defaultMode, at);
  validateItems(source.items, at);
}
