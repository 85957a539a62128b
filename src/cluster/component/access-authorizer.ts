import { SubjectAccessReview } from "../../api/authorization/v1/subject-access-review.ts";
import type { User } from "../../apiserver/request/identity.ts";
import { type Clock, withDeadline } from "../../base/clock.ts";
import { ExpiringMap } from "../../base/expiring-map.ts";
import type { Client } from "../../client/client.ts";

export interface AccessAuthorizerOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** How long decisions are cached. */
  readonly allowedTtlMs: number;
  readonly deniedTtlMs: number;
}

/** What a user wants to do: use a verb on a path, or on a resource. */
export type AccessAttributes =
  | { readonly nonResourceAttributes: { readonly path: string; readonly verb: string } }
  | {
      readonly resourceAttributes: {
        readonly namespace?: string;
        readonly verb: string;
        readonly group?: string;
        readonly version: string;
        readonly resource: string;
        readonly subresource: string;
        readonly name: string;
      };
    };

/** Whether a user may do something, and the reason if not. */
export interface AccessDecision {
  readonly isAllowed: boolean;
  /** Whether no other authorizer may allow it. */
  readonly isDenied?: boolean;
  readonly reason: string;
}

export type AccessAuthorizer = (
  user: User,
  attributes: AccessAttributes,
) => Promise<AccessDecision>;

/** Authorizes users with SubjectAccessReviews of the API server; rejects if it cannot be reached. */
export function accessAuthorizer(options: AccessAuthorizerOptions): AccessAuthorizer {
  const { client, clock, allowedTtlMs, deniedTtlMs } = options;
  const known = new ExpiringMap<string, AccessDecision>({ clock, capacity: 1000 });
  return async ({ name, uid, groups, extra }, attributes) => {
    const spec = {
      user: name,
      groups: [...groups],
      ...(uid !== undefined && { uid }),
      ...(extra && { extra: mutable(extra) }),
      ...attributes,
    };
    const key = JSON.stringify(spec);
    const before = known.get(key);
    if (before) return before;
    const { status } = await withDeadline({ clock, ms: timeoutMs }, (signal) =>
      client.create(SubjectAccessReview, { spec }, { signal }),
    );
    const { allowed = false, denied = false, reason = "" } = status ?? {};
    const decision = { isAllowed: allowed, isDenied: denied, reason };
    if (key.length <= longestKey)
      known.set(key, decision, decision.isAllowed ? allowedTtlMs : deniedTtlMs);
    return decision;
  };
}

const timeoutMs = 10_000;

/** Longer keys would let callers fill the memory with paths of their own making. */
const longestKey = 10_000;

const mutable = (extra: NonNullable<User["extra"]>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(extra).map(([name, values]) => [name, [...values]]));
