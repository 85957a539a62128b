import { isPrivileged } from "../../apiserver/authorization/modes.ts";
import type { User } from "../../apiserver/request/identity.ts";
import type { AccessAuthorizer, AccessDecision } from "./access-authorizer.ts";

export interface PathAuthorizerOptions {
  /** Authorizes all other users; without it they are denied. */
  readonly authorize?: AccessAuthorizer | undefined;
  /** Public paths; one that ends with `*` includes all paths with that prefix. */
  readonly openPaths: readonly string[];
}

export type PathAuthorizer = (user: User, verb: string, path: string) => Promise<AccessDecision>;

/** Authorizes requests to a server that delegates authorization. */
export function pathAuthorizer({ authorize, openPaths }: PathAuthorizerOptions): PathAuthorizer {
  const isOpen = openPathTest(openPaths);
  return async (user, verb, path) => {
    if (isPrivileged(user) || isOpen(path)) return { isAllowed: true, reason: "" };
    if (!authorize) return { isAllowed: false, reason: "" };
    return authorize(user, { nonResourceAttributes: { path, verb } });
  };
}

/** Whether a path matches one of the patterns; leading slashes are ignored. */
export function openPathTest(paths: readonly string[]): (path: string) => boolean {
  const bare = (path: string): string => path.replace(/^\//, "");
  const whole = new Set(paths.map(bare));
  const prefixes = paths
    .filter((path) => path.endsWith("*"))
    .map((path) => bare(path).slice(0, -1));
  return (path) =>
    whole.has(bare(path)) || prefixes.some((prefix) => bare(path).startsWith(prefix));
}
