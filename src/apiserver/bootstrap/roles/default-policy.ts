import type { ClusterRole } from "../../../api/rbac/v1/cluster-role.ts";
import type { ClusterRoleBinding } from "../../../api/rbac/v1/cluster-role-binding.ts";
import type { Role } from "../../../api/rbac/v1/role.ts";
import type { RoleBinding } from "../../../api/rbac/v1/role-binding.ts";
import { componentRoles } from "./component-roles.ts";
import { controllerRoles } from "./controller-roles.ts";
import { namespaceRoleBindings, namespaceRoles } from "./namespace-roles.ts";
import {
  clusterRole,
  clusterRoleBinding,
  controllerRole,
  group,
  serviceAccount,
  user,
} from "./notation.ts";
import { userRoles } from "./user-roles.ts";

/** The roles and bindings of every cluster. */
export interface DefaultPolicy {
  readonly clusterRoles: readonly ClusterRole[];
  readonly clusterRoleBindings: readonly ClusterRoleBinding[];
  readonly roles: readonly Role[];
  readonly roleBindings: readonly RoleBinding[];
}

const everybody = "system:authenticated";

export const defaultPolicy: DefaultPolicy = {
  clusterRoles: [
    ...userRoles,
    ...componentRoles,
    ...Object.entries(controllerRoles).map(([name, rules]) =>
      clusterRole(controllerRole(name), rules),
    ),
  ],
  clusterRoleBindings: [
    clusterRoleBinding("cluster-admin", [group("system:masters")]),
    clusterRoleBinding("system:monitoring", [group("system:monitoring")]),
    clusterRoleBinding("system:discovery", [group(everybody)]),
    clusterRoleBinding("system:public-info-viewer", [
      group(everybody),
      group("system:unauthenticated"),
    ]),
    clusterRoleBinding("system:basic-user", [group(everybody)]),
    clusterRoleBinding("system:node-proxier", [user("system:kube-proxy")]),
    clusterRoleBinding("system:kube-controller-manager", [user("system:kube-controller-manager")]),
    clusterRoleBinding("system:kube-dns", [serviceAccount("kube-dns")]),
    clusterRoleBinding("system:kube-scheduler", [user("system:kube-scheduler")]),
    clusterRoleBinding("system:volume-scheduler", [user("system:kube-scheduler")]),
    clusterRoleBinding("system:service-account-issuer-discovery", [
      group("system:serviceaccounts"),
    ]),
    // Nodes have an authorizer of their own.
    clusterRoleBinding("system:node"),
    ...Object.keys(controllerRoles).map((name) =>
      clusterRoleBinding(controllerRole(name), [serviceAccount(name)]),
    ),
  ],
  roles: namespaceRoles,
  roleBindings: namespaceRoleBindings,
};
