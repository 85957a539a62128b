import type { ClusterRole } from "../../../api/rbac/v1/cluster-role.ts";
import type { ClusterRoleBinding } from "../../../api/rbac/v1/cluster-role-binding.ts";
import type { PolicyRule } from "../../../api/rbac/v1/policy-rule.ts";
import type { Role } from "../../../api/rbac/v1/role.ts";
import type { RoleBinding } from "../../../api/rbac/v1/role-binding.ts";
import { rbacGroup } from "../../../api/rbac/v1/role-ref.ts";
import type { Subject } from "../../../api/rbac/v1/subject.ts";

export const read = "get list watch";
export const write = "create delete deletecollection patch update";
export const readWrite = "create delete deletecollection get list patch update watch";

/** A rule for resources of the core group, or `of` others; lists are separated by spaces. */
export const allow = (
  verbs: string,
  resources: string,
  { of = "core", named }: { readonly of?: string; readonly named?: string } = {},
): PolicyRule => ({
  verbs: words(verbs),
  apiGroups: words(of).map((group) => (group === "core" ? "" : group)),
  resources: words(resources),
  ...(named !== undefined && { resourceNames: words(named) }),
});

/** A rule for non-resource paths. */
export const allowPaths = (verbs: string, paths: string): PolicyRule => ({
  verbs: words(verbs),
  nonResourceURLs: words(paths),
});

/** The rule that all controllers have. */
export const recordEvents = allow("create patch update", "events", { of: "core events.k8s.io" });

function words(text: string): string[] {
  return text.split(/\s+/);
}

const apiVersion = `${rbacGroup}/v1`;
const labels = { "kubernetes.io/bootstrapping": "rbac-defaults" };
const annotations = { "rbac.authorization.kubernetes.io/autoupdate": "true" };
const aggregateTo = (name: string) => ({ [`${rbacGroup}/aggregate-to-${name}`]: "true" });

/** The name of the role of a controller, by its service account. */
export const controllerRole = (account: string): string => `system:controller:${account}`;

/** A cluster role, which may be part of an aggregated one, or be one itself. */
export const clusterRole = (
  name: string,
  rules: readonly PolicyRule[] | null,
  { partOf, madeOf }: { readonly partOf?: string; readonly madeOf?: string } = {},
): ClusterRole => ({
  kind: "ClusterRole",
  apiVersion,
  metadata: {
    name,
    labels: { ...labels, ...(partOf !== undefined && aggregateTo(partOf)) },
    annotations,
  },
  // The type does not allow it, but upstream's JSON has a null here.
  rules: rules as readonly PolicyRule[],
  ...(madeOf !== undefined && {
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: aggregateTo(madeOf) }] },
  }),
});

/** A binding of the cluster role of its name. */
export const clusterRoleBinding = (
  name: string,
  subjects?: readonly Subject[],
): ClusterRoleBinding => ({
  kind: "ClusterRoleBinding",
  apiVersion,
  metadata: { name, labels, annotations },
  ...(subjects && { subjects }),
  roleRef: { apiGroup: rbacGroup, kind: "ClusterRole", name },
});

export const role = (namespace: string, name: string, rules: readonly PolicyRule[]): Role => ({
  kind: "Role",
  apiVersion,
  metadata: { name, namespace, labels, annotations },
  rules,
});

/** A binding of the role of its name, or of another one. */
export const roleBinding = (
  namespace: string,
  name: string,
  { subjects, of = name }: { readonly subjects: readonly Subject[]; readonly of?: string },
): RoleBinding => ({
  kind: "RoleBinding",
  apiVersion,
  metadata: { name, namespace, labels, annotations },
  subjects,
  roleRef: { apiGroup: rbacGroup, kind: "Role", name: of },
});

export const user = (name: string): Subject => ({ kind: "User", apiGroup: rbacGroup, name });
export const group = (name: string): Subject => ({ kind: "Group", apiGroup: rbacGroup, name });
/** A service account of kube-system. */
export const serviceAccount = (name: string): Subject => ({
  kind: "ServiceAccount",
  name,
  namespace: "kube-system",
});
