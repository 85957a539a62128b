import type { Authentication } from "../authentication/authenticate.ts";
import type { TokenIssuer } from "../authentication/service-account-tokens.ts";
import type { Authorizer } from "./authorizer.ts";
import type { Policy } from "./cluster-policy.ts";

/** Who callers are, and what they may do. */
export interface Access {
  readonly authentication: Authentication;
  readonly tokenIssuer: TokenIssuer;
  /** The whole chain of authorizers. */
  readonly authorizer: Authorizer;
  /** The roles and bindings that RBAC, one of them, goes by. */
  readonly policy: Policy;
}
