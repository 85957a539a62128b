import { bool, int32, list, string } from "../../../../../schema/language/field.ts";
import type { At } from "../../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../../schema/language/struct.ts";
import { KeyToPath, validateFileMode, validateItems } from "../key-to-path.ts";

export const SecretVolumeSource = struct("io.k8s.api.core.v1.SecretVolumeSource", {
  secretName: string(1).doc("Name of the secret."),
  items: list(2, KeyToPath).atomic().doc("The keys that become files; without it, all of them."),
  defaultMode: int32(3).pointer().default(0o644).doc("Permissions of files that name none."),
  optional: bool(4).pointer().doc("Whether the pod may start without the secret or its keys."),
}).doc("The values of a secret as files.");
export interface SecretVolumeSource extends Infer<typeof SecretVolumeSource> {}

export function validateSecretSource(source: SecretVolumeSource, at: At): void {
  if (!source.secretName) at.required("secretName");
  validateFileMode("defaultMode", source.defaultMode, at);
  validateItems(source.items, at);
}
