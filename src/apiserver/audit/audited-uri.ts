import type { ApiRequest } from "../request/request.ts";

/** The path and query of a request without credentials: audit logs are read by more people than use them. */
export function auditedUri({ path, query }: Pick<ApiRequest, "path" | "query">): string {
  if (query === "") return path;
  return `${path}?${mayHoldCredential.test(query) ? query.split("&").map(withoutCredential).join("&") : query}`;
}

/** Names of parameters whose value is a credential, in OAuth and in services that are reached through proxies. */
const credentialNames = new Set([
  ...["access_token", "refresh_token", "id_token", "client_secret", "code"],
  ...["token", "auth_token", "api_key", "apikey", "password", "secret"],
  ...["x-amz-signature", "x-amz-security-token", "x-goog-signature", "sig"],
]);

/** An escape could hide a name. */
const mayHoldCredential = /token|secret|code|key|password|sig|%/i;

function withoutCredential(pair: string): string {
  const at = pair.indexOf("=");
  if (at < 0) return pair;
  return credentialNames.has(decoded(pair.slice(0, at)).toLowerCase())
    ? `${pair.slice(0, at)}=REDACTED`
    : pair;
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
