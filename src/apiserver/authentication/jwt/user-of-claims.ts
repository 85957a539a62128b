import { CelList, type CelValue } from "../../../cel/values/cel-value.ts";
import { member, type ReadonlyJsonMap } from "../../../schema/json/json-value.ts";
import { quote } from "../../../schema/values/quote.ts";
import type { User } from "../../request/identity.ts";
import type { ClaimExpression } from "./claim-expressions.ts";
import { claimsValue, userValue } from "./claim-values.ts";
import { goKind } from "./id-token.ts";
import type { CheckedJwtAuthenticator, Condition } from "./validate-jwt-authenticator.ts";

/** The user that the claims of a token are mapped to; throws, in upstream's words, if they or the user break a rule. */
export function userOfClaims(
  claims: ReadonlyJsonMap,
  authenticator: CheckedJwtAuthenticator,
): User {
  const { claimMappings = {}, claimValidationRules = [] } = authenticator.configuration;
  const value = claimsValue(claims);
  const name = nameOf(claims, authenticator, value);
  const groups = groupsOf(claims, authenticator, value);
  const uid = uidOf(
    claims,
    { expression: authenticator.uid, claim: claimMappings.uid?.claim },
    value,
  );
  const extra = extraOf(claims, authenticator, value);
  for (const { claim = "", requiredValue = "" } of claimValidationRules)
    if (claim !== "") checkRequired(claims, claim, requiredValue);
  checkConditions(authenticator.claimRules, value, "claim validation expression");
  const user: User = {
    name,
    ...(uid !== "" && { uid }),
    groups,
    ...(Object.keys(extra).length > 0 && { extra }),
  };
  checkConditions(authenticator.userRules, userValue(user), "user info validation rule");
  return user;
}

function nameOf(
  claims: ReadonlyJsonMap,
  { configuration, username }: CheckedJwtAuthenticator,
  value: CelValue,
): string {
  if (username) {
    const name = evaluated(username, value, "username claim expression");
    if (typeof name !== "string")
      throw new Error(
        "oidc: error evaluating username claim expression: username claim expression must return a string",
      );
    if (name === "") throw new Error("oidc: empty username via CEL expression is not allowed");
    return name;
  }
  const { claim = "", prefix } = configuration.claimMappings?.username ?? {};
  const name = within(`oidc: parse username claims ${quote(claim)}`, () => textOf(claims, claim));
  if (claim === "email") checkVerified(claims);
  return (prefix ?? "") + name;
}

/** An issuer that says whether an address belongs to the user must say so. */
function checkVerified(claims: ReadonlyJsonMap): void {
  if (!Object.hasOwn(claims, "email_verified")) return;
  const isVerified = member(claims, "email_verified") ?? false;
  if (typeof isVerified !== "boolean")
    throw new Error(
      `oidc: parse 'email_verified' claim: json: cannot unmarshal ${goKind(isVerified)} into Go value of type bool`,
    );
  if (!isVerified) throw new Error("oidc: email not verified");
}

function groupsOf(
  claims: ReadonlyJsonMap,
  { configuration, groups }: CheckedJwtAuthenticator,
  value: CelValue,
): readonly string[] {
  const { claim = "", prefix } = configuration.claimMappings?.groups ?? {};
  if (claim !== "" && Object.hasOwn(claims, claim)) {
    const given = member(claims, claim);
    // Some have a single role as the value.
    const all = Array.isArray(given) ? given.map((one: unknown) => one ?? "") : [given ?? ""];
    const odd = all.find((one) => typeof one !== "string");
    if (odd !== undefined)
      throw new Error(
        `oidc: parse groups claim ${quote(claim)}: json: cannot unmarshal ${goKind(given)} into Go value of type string`,
      );
    return given === null ? [] : all.map((group) => `${prefix ?? ""}${String(group)}`);
  }
  if (!groups) return [];
  return within("oidc: error evaluating group claim expression", () =>
    textsOf(groups.evaluate(value)),
  );
}

function uidOf(
  claims: ReadonlyJsonMap,
  {
    expression,
    claim = "",
  }: { readonly expression: ClaimExpression | undefined; readonly claim: string | undefined },
  value: CelValue,
): string {
  if (claim !== "")
    return within(`oidc: parse uid claim ${quote(claim)}`, () => textOf(claims, claim));
  if (!expression) return "";
  const uid = evaluated(expression, value, "uid claim expression");
  if (typeof uid === "string") return uid;
  throw new Error(
    "oidc: error evaluating uid claim expression: uid claim expression must return a string",
  );
}

function extraOf(
  claims: ReadonlyJsonMap,
  { extra }: CheckedJwtAuthenticator,
  value: CelValue,
): Readonly<Record<string, readonly string[]>> {
  const found: Record<string, readonly string[]> = {};
  const id = member(claims, "jti");
  if (typeof id === "string" && id !== "")
    found["authentication.kubernetes.io/credential-id"] = [`JTI=${id}`];
  const evaluatedAll = extra.map((one) => ({ ...one, value: one.evaluate(value) }));
  for (const { key, text, value: given } of evaluatedAll) {
    const values = within(`oidc: error evaluating extra claim expression: ${text}`, () =>
      textsOf(given),
    );
    if (values.length > 0) found[key] = values;
  }
  return found;
}

/** A text, or a list of texts, without those that are empty. */
function textsOf(value: CelValue): readonly string[] {
  if (value === null) return [];
  const given =
    value instanceof CelList ? Array.from({ length: value.size }, (_, i) => value.at(i)) : [value];
  return given.flatMap((one) => {
    if (typeof one !== "string")
      throw new Error("expression must return a string or a list of strings");
    return one === "" ? [] : [one];
  });
}

function checkRequired(claims: ReadonlyJsonMap, claim: string, required: string): void {
  if (!Object.hasOwn(claims, claim))
    throw new Error(`oidc: required claim ${claim} not present in ID token`);
  const value = within(`oidc: parse claim ${claim}`, () => textOf(claims, claim));
  if (value !== required)
    throw new Error(
      `oidc: required claim ${claim} value does not match. Got = ${value}, want = ${required}`,
    );
}

function checkConditions(conditions: readonly Condition[], value: CelValue, what: string): void {
  const results = within(`oidc: error evaluating ${what}`, () =>
    conditions.map((condition) => condition.evaluate(value)),
  );
  const failed = conditions.find((_, i) => results[i] !== true);
  if (failed)
    throw new Error(
      `oidc: error evaluating ${what}: validation expression '${failed.text}' failed: ${failed.message}`,
    );
}

/** A claim that must be there, and be a text. */
function textOf(claims: ReadonlyJsonMap, claim: string): string {
  if (!Object.hasOwn(claims, claim)) throw new Error("claim not present");
  const value = member(claims, claim) ?? "";
  if (typeof value === "string") return value;
  throw new Error(`json: cannot unmarshal ${goKind(value)} into Go value of type string`);
}

const evaluated = (expression: ClaimExpression, value: CelValue, what: string): CelValue =>
  within(`oidc: error evaluating ${what}`, () => expression.evaluate(value));

function within<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new Error(what, { cause });
  }
}
