import { expect, test } from "vitest";
import { each } from "../../../../test/each.ts";
import { cellsOf, created, read, updated } from "../../kind.test-support.ts";
import { ClusterRole } from "./cluster-role.ts";
import { ClusterRoleBinding } from "./cluster-role-binding.ts";
import { Role } from "./role.ts";
import { RoleBinding } from "./role-binding.ts";

const group = "rbac.authorization.k8s.io";
const resourceRule = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };

each<[rule: string, rules: object[], errors: readonly string[]]>([
  ["a rule for resources is enough", [resourceRule], []],
  [
    "names of objects do not go with paths either",
    [{ verbs: ["get"], nonResourceURLs: ["/a"], resourceNames: ["x"] }],
    [
      'rules[0].nonResourceURLs: Invalid value: ["/a"]: namespaced rules cannot apply to non-resource URLs',
      'rules[0].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular resources and non-resource URLs',
    ],
  ],
  [
    "a rule for paths needs verbs too",
    [resourceRule, { verbs: [], nonResourceURLs: ["/a"] }],
    [
      "rules[1].verbs: Required value: verbs must contain at least one value",
      'rules[1].nonResourceURLs: Invalid value: ["/a"]: namespaced rules cannot apply to non-resource URLs',
    ],
  ],
])("Role: %s", (_, rules, errors) => {
  expect(created(Role, { rules })).toEqual(errors);
});

test("Role: names may hold what paths may, colons among it", () => {
  expect(created(Role, { metadata: { name: "system:Node_A" } })).toEqual([]);
});

test("ClusterRole: paths are fine outside of namespaces", () => {
  expect(created(ClusterRole, { rules: [{ verbs: ["get"], nonResourceURLs: ["/a"] }] })).toEqual(
    [],
  );
});

const selecting = (...clusterRoleSelectors: object[]) => ({
  aggregationRule: { clusterRoleSelectors },
});
const badValue = selecting({ matchExpressions: [{ key: "a", operator: "In", values: ["b c"] }] });

test("ClusterRole: a selector that was bad may stay bad, but does not compile", () => {
  expect(updated(ClusterRole, badValue, badValue)).toEqual([
    "aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.",
  ]);
});

test("ClusterRole: a selector that was good may not turn bad", () => {
  const errors = updated(ClusterRole, selecting({ matchLabels: { a: "b" } }), badValue);
  expect(errors.map((error) => error.slice(0, 79))).toEqual([
    "aggregationRule.clusterRoleSelectors[0].matchExpressions[0].values[0]: Invalid ",
    "aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label sel",
  ]);
});

const roleRef = { kind: "ClusterRole", name: "view" };

test("RoleBinding: users, groups and roles are of the group of RBAC if none is given", () => {
  const { subjects, roleRef: ref } = read(RoleBinding, {
    roleRef,
    subjects: [
      { kind: "User", name: "u" },
      { kind: "Group", name: "g", apiGroup: "" },
      { kind: "ServiceAccount", name: "s" },
    ],
  });
  expect([ref.apiGroup, ...(subjects ?? []).map(({ apiGroup }) => apiGroup)]).toEqual([
    group,
    group,
    group,
    undefined,
  ]);
});

each<[rule: string, subject: object, errors: readonly string[]]>([
  [
    "service accounts of no namespace belong to that of the binding",
    { kind: "ServiceAccount", name: "s" },
    [],
  ],
  [
    "service accounts are of the core group",
    { kind: "ServiceAccount", name: "s", apiGroup: group },
    [`subjects[0].apiGroup: Unsupported value: "${group}": supported values: ""`],
  ],
  [
    "the name comes before the kind",
    { kind: "user", name: "" },
    [
      "subjects[0].name: Required value",
      'subjects[0].kind: Unsupported value: "user": supported values: "ServiceAccount", "User", "Group"',
    ],
  ],
])("RoleBinding: %s", (_, subject, errors) => {
  expect(created(RoleBinding, { roleRef, subjects: [subject] })).toEqual(errors);
});

test("ClusterRoleBinding: roles of a namespace cannot be bound, and accounts name theirs", () => {
  const subjects = [{ kind: "ServiceAccount", name: "s" }];
  expect(created(ClusterRoleBinding, { roleRef: { kind: "Role", name: ".." }, subjects })).toEqual([
    'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
    "roleRef.name: Invalid value: \"..\": may not be '..'",
    "subjects[0].namespace: Required value",
  ]);
});

test("ClusterRoleBinding: it stays that of one role", () => {
  expect(updated(ClusterRoleBinding, { roleRef }, { roleRef: { ...roleRef, name: "x" } })).toEqual([
    `roleRef: Invalid value: {"APIGroup":"${group}","Kind":"ClusterRole","Name":"x"}: cannot change roleRef`,
  ]);
});

test("RoleBinding: columns list who is bound, by their kinds", () => {
  const subjects = [
    { kind: "User", name: "u" },
    { kind: "User", name: "v" },
    { kind: "ServiceAccount", name: "s", namespace: "m" },
    { kind: "ServiceAccount", name: "t" },
  ];
  expect(cellsOf(RoleBinding, { roleRef, subjects })).toEqual([
    "ClusterRole/view",
    "u, v",
    "",
    "m/s, /t",
  ]);
});
