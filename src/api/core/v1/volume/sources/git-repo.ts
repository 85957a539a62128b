import { string } from "../../../../../schema/language/field.ts";
import type { At } from "../../../../../schema/language/report.ts";
import { type Infer, struct } from "../../../../../schema/language/struct.ts";
import { validateLocalPath } from "../local-path.ts";

export const GitRepoVolumeSource = struct("io.k8s.api.core.v1.GitRepoVolumeSource", {
  repository: string(1).always().expected().doc("The address of the repository."),
  revision: string(2).doc("The commit that is checked out."),
  directory: string(3).doc("The folder it is cloned into, relative to the volume."),
}).doc("A clone of a git repository; no longer supported by nodes.");
export interface GitRepoVolumeSource extends Infer<typeof GitRepoVolumeSource> {}

export function validateGitRepo({ repository, directory }: GitRepoVolumeSource, at: At): void {
  if (!repository) at.required("repository");
  validateLocalPath(directory ?? "", at.child("directory"));
}
