import { SubjectAccessReview } from "../../api/authorization/v1/subject-access-review.ts";
import { isPrivileged } from "../../apiserver/authorization/modes.ts";
import type { User } from "../../apiserver/request/identity.ts";
import { type Clock, withDeadline } from "../../base/clock.ts";
import { ExpiringMap } from "../../base/expiring-map.ts";
import type { Client } from "../../client/client.ts";

export interface PathAuthorizerOptions {
  /** Authorizes all other users; without it they are denied. */
  readonly client?: Client | undefined;
  readonly clock: Clock;
  /** Public paths; one that ends with `*` includes all paths with that prefix. */
  readonly openPaths: readonly string[];
  /** How long decisions are cached. */
  readonly allowedTtlMs: number;
  readonly deniedTtlMs: number;
}

/** Whether a user may use a verb on a path, and the reason if not. */
export interface PathDecision {
  readonly isAllowed: boolean;
  readonly reason: string;
}

export type PathAuthorizer = (user: User, verb: string, path: string) => Promise<PathDecision>;

/** Authorizes requests to a server that delegates authorization. */
export function pathAuthorizer(options: PathAuthorizerOptions): PathAuthorizer {
  const { client, clock, openPaths, allowedTtlMs, deniedTtlMs } = options;
  const isOpen = openPathTest(openPaths);
  const known = new ExpiringMap<string, PathDecision>({ clock, capacity: 1000 });
  return async (user, verb, path) => {
    if (isPrivileged(user) || isOpen(path)) return allowed;
    if (!client) return { isAllowed: false, reason: "" };
    const { name, uid, groups, extra } = user;
    const key = JSON.stringify([name, uid, groups, extra, verb, path]);
    const before = known.get(key);
    if (before) return before;
    const spec = {
      user: name,
      groups: [...groups],
      ...(uid !== undefined && { uid }),
      ...(extra && { extra: mutable(extra) }),
      nonResourceAttributes: { path, verb },
    };
    const { status } = await withDeadline({ clock, ms: timeoutMs }, (signal) =>
      client.create(SubjectAccessReview, { spec }, { signal }),
    );
    const decision = { isAllowed: status?.allowed ?? false, reason: status?.reason ?? "" };
    known.set(key, decision, decision.isAllowed ? allowedTtlMs : deniedTtlMs);
    return decision;
  };
}

const allowed: PathDecision = { isAllowed: true, reason: "" };
const timeoutMs = 10_000;

/** Whether a path matches one of the patterns; leading slashes are ignored. */
function openPathTest(paths: readonly string[]): (path: string) => boolean {
  const bare = (path: string): string => path.replace(/^\//, "");
  const whole = new Set(paths.map(bare));
  const prefixes = paths
    .filter((path) => path.endsWith("*"))
    .map((path) => bare(path).slice(0, -1));
  return (path) =>
    whole.has(bare(path)) || prefixes.some((prefix) => bare(path).startsWith(prefix));
}

const mutable = (extra: NonNullable<User["extra"]>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(extra).map(([name, values]) => [name, [...values]]));
