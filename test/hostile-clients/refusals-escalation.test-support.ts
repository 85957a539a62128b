import type { Decision } from "./refusals.test-support.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const roleOf = (rules: readonly object[], name = "made") => ({ metadata: { name }, rules });
const rule = (verb: string, resource: string, group = "") => ({
  verbs: [verb],
  resources: [resource],
  apiGroups: [group],
});
const ref = (kind: string, name: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind, name });
const binding = (role: object, name: string) => ({
  metadata: { name },
  roleRef: role,
  subjects: [ref("User", "manager")],
});
const more = "is attempting to grant RBAC permissions not currently held";
const roles = `${rbac}/namespaces/a/roles`;
const bindings = `${rbac}/namespaces/a/rolebindings`;

/** Nobody gives what they do not have. */
export const ofEscalation: readonly Decision[] = [
  ["manager", "POST", roles, 201, { body: roleOf([rule("get", "configmaps")]) }],
  ["manager", "POST", roles, 403, { says: more, body: roleOf([rule("get", "secrets")], "x") }],
  ["manager", "POST", roles, 403, { says: more, body: roleOf([rule("*", "configmaps")], "x") }],
  ["manager", "POST", roles, 403, { says: more, body: roleOf([rule("get", "*")], "x") }],
  [
    "manager",
    "POST",
    roles,
    403,
    { says: more, body: roleOf([rule("get", "configmaps", "*")], "x") },
  ],
  [
    "manager",
    "POST",
    roles,
    403,
    { says: more, body: roleOf([rule("escalate", "roles", "rbac.authorization.k8s.io")], "x") },
  ],
  [
    "manager",
    "POST",
    roles,
    403,
    { says: more, body: roleOf([rule("impersonate", "users")], "x") },
  ],
  ["manager", "POST", roles, 403, { says: more, body: roleOf([rule("create", "pods/exec")], "x") }],
  ["manager", "PUT", `${roles}/made`, 403, { says: more, body: roleOf([rule("get", "secrets")]) }],
  [
    "manager",
    "PATCH",
    `${roles}/made`,
    403,
    { says: more, body: { rules: [rule("get", "secrets")] }, type: "application/merge-patch+json" },
  ],
  [
    "manager",
    "PATCH",
    `${roles}/made`,
    403,
    {
      says: more,
      body: [{ op: "add", path: "/rules/-", value: rule("get", "secrets") }],
      type: "application/json-patch+json",
    },
  ],
  [
    "manager",
    "PATCH",
    `${roles}/made?fieldManager=m&force=true`,
    403,
    {
      says: more,
      body: {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "Role",
        ...roleOf([rule("get", "secrets")]),
      },
      type: "application/apply-patch+yaml",
    },
  ],
  [
    "manager",
    "PUT",
    `${roles}/role-manager`,
    403,
    { says: more, body: roleOf([rule("*", "*", "*")], "role-manager") },
  ],
  [
    "manager",
    "PATCH",
    `${roles}/made`,
    200,
    { body: { metadata: { labels: { a: "b" } } }, type: "application/merge-patch+json" },
  ],
  [
    "manager",
    "POST",
    `${rbac}/namespaces/b/roles`,
    403,
    { says: 'User "manager" cannot create resource "roles"', body: roleOf([]) },
  ],
  [
    "manager",
    "POST",
    `${rbac}/clusterroles`,
    403,
    { says: 'User "manager" cannot create', body: roleOf([]) },
  ],
  ["manager", "POST", bindings, 201, { body: binding(ref("Role", "made"), "one") }],
  [
    "manager",
    "POST",
    bindings,
    403,
    { says: more, body: binding(ref("ClusterRole", "cluster-admin"), "two") },
  ],
  [
    "manager",
    "POST",
    bindings,
    403,
    { says: more, body: binding(ref("ClusterRole", "view"), "two") },
  ],
  ["manager", "POST", bindings, 403, { says: more, body: binding(ref("Role", "reader"), "two") }],
  [
    "manager",
    "POST",
    bindings,
    404,
    {
      says: 'rolebindings.rbac.authorization.k8s.io "none" not found',
      body: binding(ref("Role", "none"), "two"),
    },
  ],
  [
    "manager",
    "PUT",
    `${bindings}/one`,
    403,
    { says: more, body: binding(ref("ClusterRole", "cluster-admin"), "one") },
  ],
  [
    "manager",
    "POST",
    `${rbac}/clusterrolebindings`,
    403,
    {
      says: 'User "manager" cannot create',
      body: binding(ref("ClusterRole", "cluster-admin"), "two"),
    },
  ],
  [
    "cluster-manager",
    "POST",
    `${rbac}/clusterroles`,
    403,
    { says: more, body: roleOf([rule("get", "nodes")]) },
  ],
  [
    "cluster-manager",
    "POST",
    `${rbac}/clusterroles`,
    403,
    { says: more, body: roleOf([{ verbs: ["get"], nonResourceURLs: ["/metrics"] }]) },
  ],
  [
    "cluster-manager",
    "POST",
    `${rbac}/clusterroles`,
    403,
    {
      says: "must have cluster-admin privileges to use the aggregationRule",
      body: {
        ...roleOf([]),
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] },
      },
    },
  ],
  [
    "cluster-manager",
    "PATCH",
    `${rbac}/clusterroles/view`,
    403,
    {
      says: more,
      body: { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] } },
      type: "application/merge-patch+json",
    },
  ],
  [
    "cluster-manager",
    "POST",
    `${rbac}/clusterrolebindings`,
    403,
    { says: more, body: binding(ref("ClusterRole", "cluster-admin"), "two") },
  ],
  ["escalator", "POST", roles, 201, { body: roleOf([rule("get", "secrets")], "escalated") }],
  [
    "escalator",
    "POST",
    bindings,
    403,
    { says: more, body: binding(ref("Role", "escalated"), "three") },
  ],
  ["escalator", "POST", bindings, 201, { body: binding(ref("ClusterRole", "view"), "three") }],
  [
    "escalator",
    "POST",
    bindings,
    403,
    { says: more, body: binding(ref("ClusterRole", "edit"), "four") },
  ],
];
