import { methodNotAllowed } from "../../api/meta/v1/status-error.ts";
import { checkRouted } from "../request/negotiation.ts";
import type { ApiRequest, ApiResponse } from "../request/request.ts";
import type { TokenIssuer } from "./service-account-tokens.ts";

export const openIdPaths = ["/.well-known/openid-configuration", "/openid/v1/jwks"] as const;
const [configurationPath, keysPath] = openIdPaths;

/** How long others may cache the keys. */
const maxAgeSeconds = 3600;

/** Serves the metadata by which others verify tokens; undefined for other paths, and for issuers without metadata. */
export function serveOpenId(
  request: ApiRequest,
  issuer: TokenIssuer,
  address: string,
): ApiResponse | undefined {
  const path = request.path.replace(/\/+$/, "");
  if ((path !== configurationPath && path !== keysPath) || !hasMetadata(issuer)) return undefined;
  if (request.method !== "GET") throw methodNotAllowed();
  const isKeys = path === keysPath;
  const maxAge = issuer.keysAgeSeconds?.() ?? maxAgeSeconds;
  const contentType = isKeys ? "application/jwk-set+json" : "application/json";
  checkRouted(request.headers.accept, [contentType]);
  return {
    status: 200,
    headers: { "content-type": contentType, "cache-control": `public, max-age=${maxAge}` },
    body: JSON.stringify(isKeys ? keySet(issuer) : configuration(issuer, address)),
  };
}

/** Whether the issuer has metadata: its name must be an https URL without query and fragment. */
export const hasMetadata = ({ issuers: [issuer = ""] }: TokenIssuer): boolean =>
  /^https:[^?#]*$/i.test(issuer) && URL.canParse(issuer);

const configuration = ({ issuers, keys, keysUrl }: TokenIssuer, address: string): object => ({
  issuer: issuers[0],
  jwks_uri: keysUrl ?? `https://${address}${keysPath}`,
  response_types_supported: ["id_token"],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: [
    ...new Set(published(keys).map(({ algorithm }) => algorithm)),
  ].sort(),
});

const published = (keys: TokenIssuer["keys"]) => keys.filter(({ isUnpublished }) => !isUnpublished);

const keySet = ({ keys }: TokenIssuer): object => ({
  keys: published(keys).map(({ id: kid, algorithm: alg, parameters: { kty, crv, ...rest } }) => ({
    use: "sig",
    kty,
    kid,
    crv,
    alg,
    ...rest,
  })),
});
