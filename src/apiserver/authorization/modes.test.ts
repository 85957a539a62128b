import { expect } from "vitest";
import { each } from "../../../test/each.ts";
import { openParts } from "../verbs/verb-parts.test-support.ts";
import { asked, group, user, writePolicy } from "./cluster-policy.test-support.ts";
import { authorizerFor } from "./mode-authorizers.test-support.ts";
import type { AuthorizationMode } from "./modes.ts";

const joe = { name: "joe", groups: ["devs"] };
const root = { name: "root", groups: ["system:masters"] };

each<
  [modes: AuthorizationMode[], who: typeof joe, request: string, verdict: string, reason: string]
>([
  [["AlwaysAllow"], joe, "eat cakes", "allow", ""],
  [["AlwaysDeny"], joe, "get /healthz", "no opinion", "Everything is forbidden."],
  [["AlwaysDeny"], root, "eat cakes", "allow", ""],
  [["Node", "RBAC"], joe, "list pods in n", "no opinion", ""],
  [["AlwaysDeny", "AlwaysAllow"], joe, "eat cakes", "allow", ""],
  [["RBAC", "AlwaysAllow"], joe, "list pods in n", "allow", ""],
  [
    ["AlwaysDeny", "RBAC"],
    joe,
    "list pods in gone",
    "no opinion",
    'Everything is forbidden.\nRBAC: role.rbac.authorization.k8s.io "r" not found',
  ],
  [
    ["AlwaysDeny", "RBAC"],
    joe,
    "get nodes named a",
    "allow",
    'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "c" to Group "devs"',
  ],
])(
  "authorizerFor: %j, asked whether $1.name may %s, says %s: %s",
  async (modes, who, request, verdict, reason) => {
    const parts = await openParts();
    await writePolicy(parts, {
      kind: "ClusterRole",
      name: "c",
      rules: [{ verbs: ["get"], apiGroups: [""], resources: ["nodes"] }],
    });
    await writePolicy(parts, {
      kind: "ClusterRoleBinding",
      name: "b",
      roleRef: { kind: "ClusterRole", name: "c" },
      subjects: [group("devs")],
    });
    await writePolicy(parts, {
      kind: "RoleBinding",
      namespace: "gone",
      name: "b",
      roleRef: { kind: "Role", name: "r" },
      subjects: [user("joe")],
    });
    const authorizer = authorizerFor(modes, parts.access.policy);
    expect(await authorizer.authorize(asked(who, request))).toEqual({ verdict, reason });
  },
);

each<[modes: AuthorizationMode[], resourceRules: object[], nonResourceRules: object[]]>([
  [["AlwaysDeny"], [], []],
  [
    ["AlwaysDeny", "AlwaysAllow"],
    [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
    [{ verbs: ["*"], nonResourceURLs: ["*"] }],
  ],
])("authorizerFor: %j lists what may be done", async (modes, resourceRules, nonResourceRules) => {
  const { policy } = (await openParts()).access;
  expect(await authorizerFor(modes, policy).rulesFor(joe, "n")).toEqual({
    resourceRules,
    nonResourceRules,
    incomplete: false,
    errors: [],
  });
});
