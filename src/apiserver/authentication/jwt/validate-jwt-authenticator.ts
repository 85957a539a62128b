import { pemBlocks } from "../../../api/certificates/x509/pem.ts";
import type { At } from "../../../schema/language/report.ts";
import { parseGoUrl } from "../../../schema/values/go-url.ts";
import { isDomainPrefixedPath } from "../../../schema/values/names.ts";
import type {
  ClaimMappings,
  ClaimValidationRule,
  ExtraMapping,
  Issuer,
  JWTAuthenticator,
  PrefixedClaimOrExpression,
  UserValidationRule,
} from "./authentication-configuration.ts";
import {
  type ClaimExpression,
  compileClaims,
  compileUserCondition,
  usesClaim,
} from "./claim-expressions.ts";

/** An authenticator whose expressions are compiled; each is absent if the configuration has none. */
export interface CheckedJwtAuthenticator {
  readonly configuration: JWTAuthenticator;
  readonly username?: ClaimExpression | undefined;
  readonly groups?: ClaimExpression | undefined;
  readonly uid?: ClaimExpression | undefined;
  readonly extra: readonly (ClaimExpression & { readonly key: string })[];
  readonly claimRules: readonly Condition[];
  readonly userRules: readonly Condition[];
}

/** An expression that must be true, and what an error says where it is not. */
export interface Condition extends ClaimExpression {
  readonly message: string;
}

/** Validates an authenticator in upstream's order, and compiles its expressions on the way. */
export function checkJwtAuthenticator(
  at: At,
  configuration: JWTAuthenticator,
  disallowedIssuers: readonly string[],
): CheckedJwtAuthenticator {
  const {
    issuer,
    claimMappings,
    claimValidationRules = [],
    userValidationRules = [],
  } = configuration;
  checkIssuer(at.child("issuer"), issuer ?? {}, disallowedIssuers);
  const claimRules = checkClaimRules(at.child("claimValidationRules"), claimValidationRules);
  const mapped = checkMappings(at.child("claimMappings"), claimMappings ?? {}, claimRules);
  const userRules = checkUserRules(at.child("userValidationRules"), userValidationRules);
  return { configuration, ...mapped, claimRules, userRules };
}

function checkIssuer(at: At, issuer: Issuer, disallowed: readonly string[]): void {
  const { url = "", discoveryURL = "", audiences = [], audienceMatchPolicy = "" } = issuer;
  if (url === "") at.required("url");
  else checkUrl(at.child("url"), url, disallowed);
  if (discoveryURL !== "") {
    const here = at.child("discoveryURL");
    if (url !== "" && withoutSlashes(url) === withoutSlashes(discoveryURL))
      here.invalid("", discoveryURL, "discoveryURL must be different from URL");
    checkUrl(here, discoveryURL, []);
  }
  checkAudiences(at, audiences, audienceMatchPolicy);
  const fault = authorityFault(issuer.certificateAuthority ?? "");
  if (fault !== undefined) at.invalid("certificateAuthority", "<omitted>", fault);
  const { egressSelectorType = "" } = issuer;
  if (!["", "controlplane", "cluster"].includes(egressSelectorType))
    at.invalid(
      "egressSelectorType",
      egressSelectorType,
      "egress selector must be either controlplane or cluster",
    );
}

const withoutSlashes = (url: string): string => url.replace(/\/+$/, "");

function checkUrl(at: At, url: string, disallowed: readonly string[]): void {
  if (disallowed.includes(url))
    at.invalid(
      "",
      url,
      `URL must not overlap with disallowed issuers: [${[...disallowed].sort().join(" ")}]`,
    );
  const parsed = parseGoUrl(url);
  if (typeof parsed === "string") {
    at.invalid("", url, parsed);
    return;
  }
  if (parsed.scheme !== "https") at.invalid("", url, "URL scheme must be https");
  if (parsed.user !== undefined) at.invalid("", url, "URL must not contain a username or password");
  if (parsed.query !== "") at.invalid("", url, "URL must not contain a query");
  if (parsed.fragment !== "") at.invalid("", url, "URL must not contain a fragment");
}

function checkAudiences(at: At, audiences: readonly string[], policy: string): void {
  const here = at.child("audiences");
  if (audiences.length === 0) {
    here.required("", `at least one ${here.path} is required`);
    return;
  }
  const seen = new Set<string>();
  for (const [i, audience] of audiences.entries()) {
    if (audience === "") here.index(i).required();
    if (seen.has(audience)) here.index(i).duplicate("", audience);
    seen.add(audience);
  }
  if (policy === "MatchAny") return;
  if (audiences.length > 1)
    at.invalid(
      "audienceMatchPolicy",
      policy,
      "audienceMatchPolicy must be MatchAny for multiple audiences",
    );
  else if (policy !== "")
    at.invalid(
      "audienceMatchPolicy",
      policy,
      "audienceMatchPolicy must be empty or MatchAny for single audience",
    );
}

/** Why a text holds no certificates; undefined if it does, or is empty. */
function authorityFault(pem: string): string | undefined {
  if (pem === "") return undefined;
  const certificates = [...pemBlocks(pem)].filter(
    ({ type, headers }) => type === "CERTIFICATE" && Object.keys(headers).length === 0,
  );
  if (certificates.length === 0) return "data does not contain any valid RSA or ECDSA certificates";
  return certificates.every(({ bytes }) => bytes[0] === 0x30)
    ? undefined
    : "x509: malformed certificate";
}

function checkClaimRules(at: At, rules: readonly ClaimValidationRule[]): Condition[] {
  const claims = new Set<string>();
  const expressions = new Set<string>();
  return rules.flatMap((rule, i) => {
    const here = at.index(i);
    const { claim = "", expression = "" } = rule;
    if (claim !== "" && expression !== "")
      here.invalid("", claim, "claim and expression can't both be set");
    else if (expression !== "") return checkClaimExpression(here, rule, expressions);
    else if (claim === "") here.required("", "claim or expression is required");
    else checkRequiredClaim(here, rule, claims);
    return [];
  });
}

function checkRequiredClaim(
  at: At,
  { claim = "", message = "" }: ClaimValidationRule,
  seen: Set<string>,
): void {
  if (message !== "") at.invalid("message", message, "may not be specified when claim is set");
  if (seen.has(claim)) at.duplicate("claim", claim);
  seen.add(claim);
}

function checkClaimExpression(
  at: At,
  { requiredValue = "", expression = "", message = "" }: ClaimValidationRule,
  seen: Set<string>,
): Condition[] {
  if (requiredValue !== "")
    at.invalid("requiredValue", requiredValue, "may not be specified when expression is set");
  if (isRepeated(at, expression, seen)) return [];
  const compiled = compileClaims(at.child("expression"), expression, "bool");
  return compiled ? [{ ...compiled, message }] : [];
}

function isRepeated(at: At, expression: string, seen: Set<string>): boolean {
  if (seen.has(expression)) {
    at.duplicate("expression", expression);
    return true;
  }
  seen.add(expression);
  return false;
}

type Mapped = Pick<CheckedJwtAuthenticator, "username" | "groups" | "uid" | "extra">;

function checkMappings(at: At, mappings: ClaimMappings, rules: readonly Condition[]): Mapped {
  const { username: name = {}, groups: named = {}, uid: id = {} } = mappings;
  const username = checkClaimOrExpression(at.child("username"), name, { isRequired: true });
  const groups = checkClaimOrExpression(at.child("groups"), named, { isRequired: false });
  const { claim = "", expression = "" } = id;
  let uid: ClaimExpression | undefined;
  if (claim !== "" && expression !== "")
    at.invalid("uid", "", "claim and expression can't both be set");
  else if (expression !== "") uid = compileClaims(at.child("uid").child("expression"), expression);
  const extra = checkExtra(at.child("extra"), mappings.extra ?? []);
  const verifying = [...rules, ...extra, ...(username ? [username] : [])];
  if (
    username &&
    usesClaim(username.expr, "email") &&
    !verifying.some(({ expr }) => usesClaim(expr, "email_verified"))
  )
    at.child("username").invalid("expression", username.text, unverifiedEmail);
  return { username, groups, uid, extra };
}

const unverifiedEmail =
  "claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression";

function checkClaimOrExpression(
  at: At,
  { claim = "", prefix, expression = "" }: PrefixedClaimOrExpression,
  { isRequired }: { readonly isRequired: boolean },
): ClaimExpression | undefined {
  if (expression !== "" && claim !== "")
    at.invalid("", "", "claim and expression can't both be set");
  else if (expression !== "") {
    if (typeof prefix === "string")
      at.invalid("prefix", prefix, "may not be specified when expression is set");
    return compileClaims(at.child("expression"), expression);
  } else if (claim !== "") {
    if (typeof prefix !== "string")
      at.required(
        "prefix",
        "prefix is required when claim is set. It can be set to an empty string to disable prefixing",
      );
  } else if (isRequired) at.required("", "claim or expression is required");
  return undefined;
}

function checkExtra(at: At, mappings: readonly ExtraMapping[]): CheckedJwtAuthenticator["extra"] {
  const seen = new Set<string>();
  return mappings.flatMap(({ key = "", valueExpression = "" }, i) => {
    const here = at.index(i);
    for (const { type, value, detail } of isDomainPrefixedPath(key))
      if (type === "Required") here.required("key", detail);
      else here.invalid("key", value, detail);
    if (key !== key.toLowerCase()) here.invalid("key", key, "must be lowercase");
    if (/^(?:[^/]*\.)?(?:kubernetes|k8s)\.io\//.test(key))
      here.invalid(
        "key",
        key,
        "k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use",
      );
    if (seen.has(key)) {
      here.duplicate("key", key);
      return [];
    }
    seen.add(key);
    if (valueExpression === "") {
      here.required("valueExpression");
      return [];
    }
    const compiled = compileClaims(here.child("valueExpression"), valueExpression);
    return compiled ? [{ ...compiled, key }] : [];
  });
}

function checkUserRules(at: At, rules: readonly UserValidationRule[]): Condition[] {
  const seen = new Set<string>();
  return rules.flatMap(({ expression = "", message = "" }, i) => {
    const here = at.index(i);
    if (expression === "") {
      here.required("expression");
      return [];
    }
    if (isRepeated(here, expression, seen)) return [];
    const compiled = compileUserCondition(here.child("expression"), expression);
    return compiled ? [{ ...compiled, message }] : [];
  });
}
