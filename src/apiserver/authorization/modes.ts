import type { User } from "../request/identity.ts";
import { type AbacPolicy, abacAuthorizer } from "./abac.ts";
import { type Authorizer, authorizerChain, noOpinion, noRules } from "./authorizer.ts";
import type { Policy } from "./cluster-policy.ts";
import { nodeAuthorizer } from "./node-authorizer.ts";
import { rbacAuthorizer } from "./rbac.ts";

/** The authorization modes. */
export type AuthorizationMode = "ABAC" | "AlwaysAllow" | "AlwaysDeny" | "Node" | "RBAC";

export const defaultModes: readonly AuthorizationMode[] = ["Node", "RBAC"];

/** An authorizer of these modes, in this order; administrators are allowed everything in any mode. */
export const authorizerFor = (
  modes: readonly AuthorizationMode[],
  policy: Policy,
  abacPolicies: readonly AbacPolicy[] = [],
): Authorizer =>
  authorizerChain([
    privileged,
    ...modes.map((mode) =>
      mode === "ABAC" ? abacAuthorizer(abacPolicies) : authorizers[mode](policy),
    ),
  ]);

/** Members of this group are allowed everything; the server itself is one. */
export const isPrivileged = ({ groups }: User): boolean => groups.includes("system:masters");

const privileged: Authorizer = {
  authorize: ({ user }) => (isPrivileged(user) ? { verdict: "allow", reason: "" } : noOpinion),
  rulesFor: () => noRules,
};

const authorizers: Readonly<
  Record<Exclude<AuthorizationMode, "ABAC">, (policy: Policy) => Authorizer>
> = {
  AlwaysAllow: () => ({
    authorize: () => ({ verdict: "allow", reason: "" }),
    rulesFor: () => ({
      ...noRules,
      resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
      nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
    }),
  }),
  AlwaysDeny: () => ({
    authorize: () => ({ verdict: "no opinion", reason: "Everything is forbidden." }),
    rulesFor: () => noRules,
  }),
  Node: ({ nodes }) => nodeAuthorizer(nodes),
  RBAC: rbacAuthorizer,
};
