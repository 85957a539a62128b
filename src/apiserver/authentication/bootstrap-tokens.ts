import {
  bootstrapTokenName,
  bootstrapTokenNamespace,
  bootstrapTokenType,
  bootstrapTokenValue,
  isBootstrapGroup,
  isBootstrapTokenExpired,
  bootstrapTokenKeys as keys,
  parseBootstrapToken,
} from "../../api/core/v1/bootstrap-token-secret.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import type { User } from "../request/identity.ts";
import type { TokenSources } from "./token-sources.ts";

/** The user of a bootstrap token, which is kept as a secret in kube-system. */
export function bootstrapUser(
  { reader, environment }: TokenSources,
  token: string,
): User | undefined {
  const { id = "", secret = "" } = parseBootstrapToken(token) ?? {};
  const stored = id === "" ? undefined : tokenSecret(reader, bootstrapTokenName(id));
  if (!stored) return undefined;
  const value = (key: string): string => bootstrapTokenValue(stored, key);
  if (!isSame(value(keys.secret), secret) || value(keys.id) !== id) return undefined;
  if (isBootstrapTokenExpired(stored, environment.clock.now())) return undefined;
  if (value(keys.authentication) !== "true") return undefined;
  const extra = value(keys.groups);
  const groups = extra === "" ? [] : extra.split(",");
  if (!groups.every(isBootstrapGroup)) return undefined;
  return {
    name: `system:bootstrap:${id}`,
    groups: [...new Set(["system:bootstrappers", ...groups])].sort(),
  };
}

function tokenSecret(reader: TokenSources["reader"], name: string): Secret | undefined {
  const secret = reader.getCached(Secret, { namespace: bootstrapTokenNamespace, name });
  if (!secret || secret.metadata.deletionTimestamp) return undefined;
  return secret.type === bootstrapTokenType ? secret : undefined;
}

/** Compares in constant time, so that the time tells nothing about the secret. */
function isSame(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}
