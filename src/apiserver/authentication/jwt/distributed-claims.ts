import { isMap, isNull, member, type ReadonlyJsonMap } from "../../../schema/json/json-value.ts";
import { quote } from "../../../schema/values/quote.ts";
import { goKind, untrustedIssuer } from "./id-token.ts";

/** What looking up a claim elsewhere needs. */
export interface ClaimSources {
  /** The token that an endpoint responds with. */
  get(
    url: string,
    authorization?: string,
  ): Promise<{
    readonly code: number;
    readonly status: string;
    readonly text: string;
  }>;
  /** The claims of a token of an issuer, once it is verified. */
  verified(issuer: string, token: string): Promise<ReadonlyJsonMap>;
}

/** The claims with one that may be at another place (OpenID Connect Core 5.6.2), which is looked up then. */
export async function withDistributedClaim(
  claims: ReadonlyJsonMap,
  claim: string,
  sources: ClaimSources,
): Promise<ReadonlyJsonMap> {
  const endpoint = endpointOf(claims, claim);
  if (!endpoint) return claims;
  const { url } = endpoint;
  const token = await tokenAt(endpoint, sources).catch((cause: unknown) => {
    throw new Error(`while getting distributed claim ${quote(claim)}`, { cause });
  });
  const issuer = untrustedIssuer(token);
  if (issuer === undefined)
    throw new Error(
      `getting untrusted issuer from endpoint ${url} failed for claim ${quote(claim)}: malformed token`,
    );
  const found = await sources.verified(issuer, token);
  if (!Object.hasOwn(found, claim))
    throw new Error(
      `jwt returned by distributed claim endpoint ${quote(url)} did not contain claim: ${claim}`,
    );
  return { ...claims, [claim]: member(found, claim) };
}

interface Endpoint {
  readonly url: string;
  readonly accessToken: string;
}

/** Where the claim is; undefined if the token has it, or nobody else. */
function endpointOf(claims: ReadonlyJsonMap, claim: string): Endpoint | undefined {
  if (Object.hasOwn(claims, claim) || !Object.hasOwn(claims, "_claim_names")) return undefined;
  const names = mapIn(claims, "_claim_names", "oidc: error parsing distributed claim names");
  if (!Object.hasOwn(claims, "_claim_sources")) throw new Error("oidc: no claim sources");
  const sources = mapIn(claims, "_claim_sources", "oidc: could not parse claim sources");
  if (!Object.hasOwn(names, claim)) return undefined;
  const name = String(member(names, claim));
  const source = Object.hasOwn(sources, name) ? member(sources, name) : undefined;
  if (!isMap(source))
    throw new Error(`id token _claim_names contained a source ${name} missing in _claims_sources`);
  const [url, accessToken] = ["endpoint", "access_token"].map((field) => {
    const value = member(source, field);
    return typeof value === "string" ? value : "";
  });
  // Without an endpoint the claim may be in the source itself, which is not supported.
  return url ? { url, accessToken: accessToken ?? "" } : undefined;
}

function mapIn(claims: ReadonlyJsonMap, name: string, fault: string): ReadonlyJsonMap {
  const value = member(claims, name);
  if (isNull(value)) return {};
  if (isMap(value)) return value;
  throw new Error(`${fault}: json: cannot unmarshal ${goKind(value)} into Go value of type map`);
}

async function tokenAt({ url, accessToken }: Endpoint, { get }: ClaimSources): Promise<string> {
  const { code, status, text } = await get(
    url,
    accessToken === "" ? undefined : `Bearer ${accessToken}`,
  );
  if (code < 200 || code > 226)
    throw new Error(`error while getting distributed claim JWT: ${status}`);
  return text;
}
