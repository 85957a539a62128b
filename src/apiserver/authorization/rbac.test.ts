import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import type { User } from "../request/identity.ts";
import { openParts } from "../verbs/verb-parts.test-support.ts";
import { authorize } from "./authorize.ts";
import {
  account,
  asked,
  group,
  type PolicyObject,
  user,
  writePolicy,
} from "./cluster-policy.test-support.ts";

const pods = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };
const health = { verbs: ["get"], nonResourceURLs: ["/healthz"] };
const role: PolicyObject = { kind: "Role", namespace: "n", name: "r", rules: [pods] };
const clusterRole: PolicyObject = { kind: "ClusterRole", name: "c", rules: [pods, health] };
const ofRole = { kind: "Role", name: "r" };
const ofCluster = { kind: "ClusterRole", name: "c" };
const inNamespace = (name: string, more: Partial<PolicyObject>): PolicyObject => ({
  kind: "RoleBinding",
  namespace: "n",
  name,
  roleRef: ofRole,
  ...more,
});
const inCluster = (name: string, more: Partial<PolicyObject>): PolicyObject => ({
  kind: "ClusterRoleBinding",
  name,
  roleRef: ofCluster,
  ...more,
});

const jane: User = { name: "jane", groups: ["devs", "ops"] };
const robot: User = { name: "system:serviceaccount:m:robot", groups: ["devs"] };

each<[what: string, policy: PolicyObject[], who: User, reason: string]>([
  [
    "a binding to a user",
    [role, inNamespace("b", { subjects: [user("jane")] })],
    jane,
    'RBAC: allowed by RoleBinding "b/n" of Role "r" to User "jane"',
  ],
  [
    "a binding to a group",
    [role, inNamespace("b", { subjects: [user("x"), group("ops")] })],
    jane,
    'RBAC: allowed by RoleBinding "b/n" of Role "r" to Group "ops"',
  ],
  [
    "a binding of a cluster role in a namespace",
    [clusterRole, inNamespace("b", { roleRef: ofCluster, subjects: [group("devs")] })],
    jane,
    'RBAC: allowed by RoleBinding "b/n" of ClusterRole "c" to Group "devs"',
  ],
  [
    "a binding of the cluster",
    [clusterRole, inCluster("b", { subjects: [group("devs")] })],
    jane,
    'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "c" to Group "devs"',
  ],
  [
    "a service account, with its namespace",
    [clusterRole, inCluster("b", { subjects: [account("robot", "m")] })],
    robot,
    'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "c" to ServiceAccount "robot/m"',
  ],
  [
    "a service account, with the namespace of the binding",
    [role, inNamespace("b", { subjects: [account("robot")] })],
    { name: "system:serviceaccount:n:robot", groups: [] },
    'RBAC: allowed by RoleBinding "b/n" of Role "r" to ServiceAccount "robot/n"',
  ],
  [
    "the first subject of a binding",
    [role, inNamespace("b", { subjects: [group("ops"), user("jane"), group("devs")] })],
    jane,
    'RBAC: allowed by RoleBinding "b/n" of Role "r" to Group "ops"',
  ],
  [
    "bindings of the user come before those of their groups",
    [
      role,
      inNamespace("c", { subjects: [user("jane")] }),
      inNamespace("a", { subjects: [group("ops")] }),
      inNamespace("b", { subjects: [group("devs")] }),
    ],
    jane,
    'RBAC: allowed by RoleBinding "c/n" of Role "r" to User "jane"',
  ],
  [
    "the first binding by name",
    [
      role,
      inNamespace("b", { subjects: [group("devs")] }),
      inNamespace("a", { subjects: [group("devs")] }),
    ],
    jane,
    'RBAC: allowed by RoleBinding "a/n" of Role "r" to Group "devs"',
  ],
  [
    "bindings of the cluster come first",
    [
      role,
      clusterRole,
      inNamespace("a", { subjects: [user("jane")] }),
      inCluster("b", { subjects: [user("jane")] }),
    ],
    jane,
    'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "c" to User "jane"',
  ],
  [
    "a role that is gone does not matter if another allows it",
    [
      role,
      inNamespace("a", { roleRef: { kind: "Role", name: "gone" }, subjects: [user("jane")] }),
      inNamespace("b", { subjects: [user("jane")] }),
    ],
    jane,
    'RBAC: allowed by RoleBinding "b/n" of Role "r" to User "jane"',
  ],
])("rbac: the reason for a permission: %s", async (_, policy, who, reason) => {
  const parts = await openParts();
  for (const object of policy) await writePolicy(parts, object);
  const decision = await parts.access.authorizer.authorize(asked(who, "get pods named x in n"));
  expect(decision).toEqual({ verdict: "allow", reason });
});

const gone = (name: string) => ({
  roleRef: { kind: "ClusterRole", name },
  subjects: [user("jane")],
});
each<[what: string, policy: PolicyObject[], request: string, message: string]>([
  [
    "no role",
    [],
    "list pods in n",
    'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "n"',
  ],
  [
    "an object",
    [],
    "get deployments.apps/scale named web in n",
    'deployments.apps "web" is forbidden: User "jane" cannot get resource "deployments/scale" in API group "apps" in the namespace "n"',
  ],
  [
    "the whole cluster",
    [],
    "delete nodes named a",
    'nodes "a" is forbidden: User "jane" cannot delete resource "nodes" in API group "" at the cluster scope',
  ],
  ["a path", [], "get /a<b>&c", 'forbidden: User "jane" cannot get path "/a&lt;b&gt;&amp;c"'],
  [
    "a role that is gone",
    [inCluster("b", gone("x"))],
    "list pods in n",
    'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "n": RBAC: clusterrole.rbac.authorization.k8s.io "x" not found',
  ],
  [
    "several roles that are gone",
    [
      inCluster("a", gone("x")),
      inCluster("b", gone("x")),
      inNamespace("c", { roleRef: { kind: "Role", name: "y" }, subjects: [group("devs")] }),
    ],
    "list pods in n",
    'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "n": RBAC: [clusterrole.rbac.authorization.k8s.io "x" not found, role.rbac.authorization.k8s.io "y" not found]',
  ],
])("rbac: a refusal: %s", async (_, policy, request, message) => {
  const parts = await openParts();
  for (const object of policy) await writePolicy(parts, object);
  await expect(authorize(parts.access.authorizer, asked(jane, request))).rejects.toThrow(
    expect.objectContaining({ message, reason: "Forbidden" }),
  );
});

test("rbac: lists rules for resources and for paths separately, and missing roles", async () => {
  const parts = await openParts();
  const policy = [
    clusterRole,
    inCluster("a", { subjects: [group("devs")] }),
    inNamespace("b", { subjects: [user("jane")] }),
  ];
  for (const object of policy) await writePolicy(parts, object);
  expect(await parts.access.authorizer.rulesFor(jane, "n")).toEqual({
    resourceRules: [pods],
    nonResourceRules: [health],
    incomplete: false,
    errors: ['role.rbac.authorization.k8s.io "r" not found'],
  });
});

test("rbac: the list of a node's rules is marked incomplete", async () => {
  const parts = await openParts();
  const node = { name: "system:node:a", groups: ["system:nodes"] };
  expect(await parts.access.authorizer.rulesFor(node, "n")).toEqual({
    resourceRules: [],
    nonResourceRules: [],
    incomplete: true,
    errors: ["node authorizer does not support user rule resolution"],
  });
});
