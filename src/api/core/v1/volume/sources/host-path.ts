import { named, string } from "../../../../../schema/language/field.ts";
import type { At } from "../../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../../schema/language/struct.ts";
import { validateNoBacksteps } from "../local-path.ts";

/** What is asked of the path on the node; "" asks nothing. */
const types = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
] as const;

export const HostPathVolumeSource = struct("io.k8s.api.core.v1.HostPathVolumeSource", {
  path: string(1).always().expected().doc("The file or folder on the node."),
  type: named(2, "v1.HostPathType")
    .pointer()
    .known(...types)
    .default("")
    .doc("What must be at the path, or is made there."),
}).doc("A file or folder of the node.");
export interface HostPathVolumeSource extends Infer<typeof HostPathVolumeSource> {}

export function validateHostPath({ path, type }: HostPathVolumeSource, at: At): void {
  if (!path) {
    at.required("path");
    return;
  }
  validateNoBacksteps(path, at.child("path"));
  if (!(types as readonly string[]).includes(type)) at.notSupported("type", type, types);
}
