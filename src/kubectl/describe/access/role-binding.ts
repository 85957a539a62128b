import type { ClusterRoleBinding } from "../../../api/rbac/v1/cluster-role-binding.ts";
import type { RoleBinding } from "../../../api/rbac/v1/role-binding.ts";
import { describedKinds } from "../described-kinds.ts";
import type { Description } from "../description.ts";
import { headLines } from "../metadata-lines.ts";
import { objectDescriber } from "../object-describer.ts";

export const describeRoleBinding = objectDescriber(describedKinds.roleBinding, bindingLines);
export const describeClusterRoleBinding = objectDescriber(
  describedKinds.clusterRoleBinding,
  bindingLines,
);

function bindingLines(
  d: Description,
  { metadata, roleRef, subjects }: RoleBinding | ClusterRoleBinding,
): void {
  headLines(d, metadata, false);
  d.line("Role:");
  d.field("Kind", roleRef.kind ?? "", 1);
  d.field("Name", roleRef.name ?? "", 1);
  d.line("Subjects:");
  d.columns(["Kind", "Name", "Namespace"], 1);
  for (const { kind, name, namespace } of subjects ?? [])
    d.row([kind ?? "", name ?? "", namespace ?? ""], 1);
}
