import { bool, string } from "../../../../../schema/language/field.ts";
import type { At } from "../../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../../schema/language/struct.ts";

export const NFSVolumeSource = struct("io.k8s.api.core.v1.NFSVolumeSource", {
  server: string(1).always().expected().doc("Host name or address of the server."),
  path: string(2).always().expected().doc("The path that the server exports."),
  readOnly: bool(3).doc("Whether it is mounted read-only."),
}).doc("A folder that an NFS server exports.");
export interface NFSVolumeSource extends Infer<typeof NFSVolumeSource> {}

export function validateNfs({ server, path }: NFSVolumeSource, at: At): void {
  if (!server) at.required("server");
  if (!path) at.required("path");
  if (!path.startsWith("/")) at.invalid("path", path, "must be an absolute path");
}
