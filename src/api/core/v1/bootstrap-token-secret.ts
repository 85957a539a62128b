import { decodeBase64 } from "../../../base/base64.ts";
import { millisOf, parseTime } from "../../../schema/values/time.ts";
import type { Secret } from "./secret.ts";

/** The type of secrets that hold a bootstrap token. */
export const bootstrapTokenType = "bootstrap.kubernetes.io/token";

/** The namespace of these secrets. */
export const bootstrapTokenNamespace = "kube-system";

/** The keys of such a secret. */
export const bootstrapTokenKeys = {
  id: "token-id",
  secret: "token-secret",
  expiration: "expiration",
  description: "description",
  groups: "auth-extra-groups",
  signing: "usage-bootstrap-signing",
  authentication: "usage-bootstrap-authentication",
} as const;

/** The two parts of a bootstrap token. */
export interface BootstrapToken {
  readonly id: string;
  readonly secret: string;
}

/** Parses `ID.SECRET`; undefined if it is none. */
export function parseBootstrapToken(token: string): BootstrapToken | undefined {
  const [, id, secret] = /^([a-z0-9]{6})\.([a-z0-9]{16})$/.exec(token) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** Whether a text can be the public part of a token. */
export const isBootstrapTokenId = (id: string): boolean => /^[a-z0-9]{6}$/.test(id);

/** The name of the secret of a token. */
export const bootstrapTokenName = (id: string): string => `bootstrap-token-${id}`;

/** Whether a token may add a group to its user. */
export const isBootstrapGroup = (group: string): boolean =>
  /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/.test(group);

/** A value of a secret as text; empty if there is none. */
export function bootstrapTokenValue({ data = {} }: Pick<Secret, "data">, key: string): string {
  return Object.hasOwn(data, key) ? new TextDecoder().decode(decodeBase64(data[key] ?? "")) : "";
}

/**
 * The milliseconds for which a token is still valid, 0 or less after its end; undefined if it has no end. A
 * time that cannot be parsed counts as passed.
 */
export function bootstrapTokenRemainder(
  secret: Pick<Secret, "data">,
  now: number,
): number | undefined {
  const expiration = bootstrapTokenValue(secret, bootstrapTokenKeys.expiration);
  if (expiration === "") return undefined;
  try {
    return millisOf(parseTime(expiration)) - now;
  } catch {
    return 0;
  }
}

/** Whether a token has expired. */
export const isBootstrapTokenExpired = (secret: Pick<Secret, "data">, now: number): boolean =>
  (bootstrapTokenRemainder(secret, now) ?? 1) <= 0;
