import type { Environment } from "../objects/environment.ts";
import type { User } from "../request/identity.ts";
import { type AbacPolicy, abacAuthorizer } from "./abac.ts";
import { type Authorizer, noOpinion, noRules } from "./authorizer.ts";
import type { Policy } from "./cluster-policy.ts";
import { nodeAuthorizer } from "./node-authorizer.ts";
import { rbacAuthorizer } from "./rbac.ts";

/** The authorization modes. */
export const authorizationModes = ["AlwaysAllow", "AlwaysDeny", "ABAC", "RBAC", "Node"] as const;
export type AuthorizationMode = (typeof authorizationModes)[number];

export const defaultModes: readonly AuthorizationMode[] = ["Node", "RBAC"];

/** The authorizer of a mode. */
export const modeAuthorizer = (
  mode: AuthorizationMode,
  {
    policy,
    abacPolicies,
    environment: { features },
  }: {
    readonly policy: Policy;
    readonly abacPolicies: readonly AbacPolicy[];
    readonly environment: Pick<Environment, "features">;
  },
): Authorizer =>
  mode === "ABAC" ? abacAuthorizer(abacPolicies) : authorizers[mode](policy, features);

/** Members of this group are allowed everything; the server itself is one. */
export const isPrivileged = ({ groups }: User): boolean => groups.includes("system:masters");

/** Allows administrators everything. */
export const privileged: Authorizer = {
  authorize: ({ user }) => (isPrivileged(user) ? { verdict: "allow", reason: "" } : noOpinion),
  rulesFor: () => noRules,
};

const authorizers: Readonly<
  Record<
    Exclude<AuthorizationMode, "ABAC">,
    (policy: Policy, features?: ReadonlySet<string>) => Authorizer
  >
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
  Node: ({ nodes }, features) => nodeAuthorizer(nodes, features),
  RBAC: rbacAuthorizer,
};
