import { type Authorizer, authorizerChain } from "./authorizer.ts";
import type { Policy } from "./cluster-policy.ts";
import { type AuthorizationMode, modeAuthorizer, privileged } from "./modes.ts";

/** An authorizer of these modes, in this order. */
export const authorizerFor = (modes: readonly AuthorizationMode[], policy: Policy): Authorizer =>
  authorizerChain([
    privileged,
    ...modes.map((mode) => modeAuthorizer(mode, { policy, abacPolicies: [], environment: {} })),
  ]);
