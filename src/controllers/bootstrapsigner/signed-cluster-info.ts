import {
  type BootstrapToken,
  bootstrapTokenName,
  bootstrapTokenType,
  bootstrapTokenValue,
  isBootstrapTokenExpired,
  isBootstrapTokenId,
  bootstrapTokenKeys as keys,
} from "../../api/core/v1/bootstrap-token-secret.ts";
import {
  clusterInfoKubeconfig,
  clusterInfoSignature,
  detachedSignature,
} from "../../api/core/v1/cluster-info.ts";
import type { Secret } from "../../api/core/v1/secret.ts";
import type { HmacSha256 } from "../../base/cryptography/hmac-sha256.ts";
import { sameJson } from "../../schema/json/json-value.ts";

export type Data = Readonly<Record<string, string>>;

/** The data of cluster-info with a signature by each token; undefined if nothing is to be changed. */
export function signedClusterInfo(
  data: Data,
  tokens: readonly BootstrapToken[],
  hmacSha256: HmacSha256,
): Data | undefined {
  const content = data[clusterInfoKubeconfig];
  if (content === undefined) return undefined;
  const others = Object.entries(data).filter(([key]) => !key.startsWith(clusterInfoSignature));
  const signatures = tokens.map((token): [string, string] => [
    `${clusterInfoSignature}${token.id}`,
    detachedSignature(content, token, hmacSha256),
  ]);
  const signed = Object.fromEntries([...others, ...signatures]);
  return sameJson(signed, data) ? undefined : signed;
}

/** The token of a secret if it may sign now. */
export function signingToken(secret: Secret, now: number): BootstrapToken | undefined {
  const value = (key: string): string => bootstrapTokenValue(secret, key);
  const token = { id: value(keys.id), secret: value(keys.secret) };
  const isToken =
    secret.type === bootstrapTokenType &&
    isBootstrapTokenId(token.id) &&
    secret.metadata.name === bootstrapTokenName(token.id) &&
    token.secret !== "";
  const maySign = value(keys.signing) === "true" && !isBootstrapTokenExpired(secret, now);
  return isToken && maySign ? token : undefined;
}
