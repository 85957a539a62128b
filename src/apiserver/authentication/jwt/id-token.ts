import type { Clock } from "../../../base/clock.ts";
import { isMap, isNull, member, type ReadonlyJsonMap } from "../../../schema/json/json-value.ts";
import { type ParsedJwt, parseJwt } from "../../../schema/values/jwt.ts";
import { quote } from "../../../schema/values/quote.ts";
import type { RemoteKeys } from "./remote-keys.ts";

/** What a token must meet. */
export interface IdTokenRules {
  readonly issuer: string;
  /** One of which a token must have. */
  readonly audiences: readonly string[];
  readonly algorithms: readonly string[];
  readonly keys: Pick<RemoteKeys, "verify">;
  readonly clock: Pick<Clock, "now">;
}

/** Tolerance for the time before which a token is not valid, because clocks differ; there is none at its end. */
const leewayMs = 60_000;

/** The claims of a token that is valid; throws, in upstream's words, if it is not. */
export async function verifiedClaims(token: string, rules: IdTokenRules): Promise<ReadonlyJsonMap> {
  const jwt = parsed(token);
  const algorithm = textIn(jwt.header, "alg");
  if (!rules.algorithms.includes(algorithm))
    throw new Error(
      `oidc: id token signed with unsupported algorithm, expected ${quoteAll(rules.algorithms)} got ${quote(algorithm)}`,
    );
  try {
    await rules.keys.verify(jwt);
  } catch (cause) {
    throw new Error("failed to verify signature", { cause });
  }
  checkSources(jwt.claims);
  const issuer = textIn(jwt.claims, "iss");
  if (trustedIssuer(issuer) !== rules.issuer)
    throw new Error(
      `oidc: id token issued by a different provider, expected ${quote(rules.issuer)} got ${quote(issuer)}`,
    );
  checkAudiences(audiencesOf(jwt.claims), rules.audiences);
  checkTimes(jwt.claims, rules.clock.now());
  return jwt.claims;
}

/** The claim `iss` of a token of which nothing is verified; undefined if it is no token. */
export function untrustedIssuer(token: string): string | undefined {
  const claims = parseJwt(token)?.claims;
  const issuer = claims && member(claims, "iss");
  if (!claims || !(isNull(issuer) || typeof issuer === "string")) return undefined;
  return trustedIssuer(issuer ?? "");
}

/** Google's issuer, which has two names. */
const trustedIssuer = (issuer: string): string =>
  issuer === "accounts.google.com" ? `https://${issuer}` : issuer;

function parsed(token: string): ParsedJwt {
  const jwt = parseJwt(token);
  if (!jwt) throw new Error("oidc: malformed jwt");
  return jwt;
}

/** A claim that is a text; empty if it is not there. */
function textIn(claims: ReadonlyJsonMap, name: string): string {
  const value = member(claims, name);
  if (isNull(value)) return "";
  if (typeof value !== "string") throw unexpected(name, value, "string");
  return value;
}

const unexpected = (name: string, value: unknown, wanted: string): Error =>
  new Error(
    `oidc: failed to unmarshal claims: json: cannot unmarshal ${goKind(value)} into Go struct field idToken.${name} of type ${wanted}`,
  );

/** Go's word for the type of a JSON value. */
export function goKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** Claims that are elsewhere must name a source that the token has. */
function checkSources(claims: ReadonlyJsonMap): void {
  const names = member(claims, "_claim_names");
  if (isNull(names)) return;
  if (!isMap(names)) throw unexpected("_claim_names", names, "map[string]string");
  const sources = member(claims, "_claim_sources") ?? {};
  if (!isMap(sources)) throw unexpected("_claim_sources", sources, "map[string]oidc.claimSource");
  for (const source of Object.values(names)) {
    if (typeof source !== "string") throw unexpected("_claim_names", source, "string");
    if (source === "") throw new Error("oidc: failed to obtain source from claim name");
    if (!Object.hasOwn(sources, source)) throw new Error("oidc: source does not exist");
  }
}

function audiencesOf(claims: ReadonlyJsonMap): readonly string[] {
  const value = member(claims, "aud");
  if (isNull(value)) return [];
  if (typeof value === "string") return [value];
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value;
  throw unexpected("aud", value, "string");
}

function checkAudiences(given: readonly string[], wanted: readonly string[]): void {
  if (given.some((audience) => wanted.includes(audience))) return;
  const [only = ""] = wanted;
  throw new Error(
    wanted.length === 1
      ? `oidc: expected audience ${quote(only)} got ${quoteAll(given)}`
      : `oidc: expected audience in ${quoteAll([...wanted].sort())} got ${quoteAll(given)}`,
  );
}

function checkTimes(claims: ReadonlyJsonMap, now: number): void {
  // A token that does not say when it expires has expired.
  const expires = millisIn(claims, "exp") ?? zeroTime;
  if (expires < now) throw new Error(`oidc: token is expired (Token Expiry: ${timeText(expires)})`);
  const notBefore = millisIn(claims, "nbf");
  if (notBefore !== undefined && now + leewayMs < notBefore)
    throw new Error(
      `oidc: current time ${timeText(now)} before the nbf (not before) time: ${timeText(notBefore)}`,
    );
}

const zeroTime = Date.parse("0001-01-01T00:00:00Z");

function millisIn(claims: ReadonlyJsonMap, name: string): number | undefined {
  const value = member(claims, name);
  if (isNull(value)) return undefined;
  // Go takes a text that is a number for one.
  const seconds = typeof value === "string" && value !== "" ? Number(value) : value;
  if (typeof seconds !== "number" || Number.isNaN(seconds))
    throw unexpected(name, value, "json.Number");
  return Math.trunc(seconds) * 1000;
}

/** A time as Go prints it. */
function timeText(millis: number): string {
  const date = new Date(Math.min(Math.max(millis, zeroTime), 8.64e15));
  const [day = "", time = ""] = date.toISOString().replace(/^\+0*/, "").split("T");
  return `${day} ${time.replace(/\.?0*Z$/, "")} +0000 UTC`;
}

const quoteAll = (texts: readonly string[]): string => `[${texts.map(quote).join(" ")}]`;
