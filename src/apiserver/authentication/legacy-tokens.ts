import {
  dayOf,
  invalidSinceLabel as invalidSince,
  lastUsedLabel as lastUsed,
} from "../../api/core/v1/legacy-token-tracking.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { legacyClaimNames, legacyIssuer } from "../../api/core/v1/service-account-token-secret.ts";
import { notFound } from "../../api/meta/v1/status-error.ts";
import { decodeBase64 } from "../../base/base64.ts";
import type { ApiObject } from "../objects/object.ts";
import { addressOf } from "../objects/reader.ts";
import { learnKeys, type TokenIssuer } from "./service-account-tokens.ts";
import { serviceAccountUser, serviceAccountUserName } from "./service-account-user.ts";
import type { SignedTokenAuthenticator } from "./signed-tokens.ts";
import { commonAudiences, refused, unknownToken } from "./token-authenticator.ts";
import type { TokenSources } from "./token-sources.ts";

/** Authenticates tokens of service accounts that are kept in secrets: valid while the secret holds them. */
export function legacyTokens(sources: TokenSources, issuer: TokenIssuer): SignedTokenAuthenticator {
  const { audiences: own } = issuer;
  return {
    knows: (name) => name === legacyIssuer,
    async authenticate(token, audiences) {
      await learnKeys(issuer, token.header.kid);
      const fault = token.verify();
      if (fault !== undefined) return refused(fault);
      sources.usedLegacyToken?.("signed");
      const common = commonAudiences(own, audiences);
      if (common.length === 0) return unknownToken;
      const claims = readLegacy(token.claims);
      if (typeof claims === "string") return refused(claims);
      const { problem, warnings, ...noted } = await judged(sources, claims, token.token);
      const annotations = { [annotated]: claims.subject, ...noted.annotations };
      if (problem !== undefined) return { ...refused(problem), annotations };
      const { namespace, accountName: name, accountUid: uid } = claims;
      const user = serviceAccountUser({
        audiences: [],
        issuer: legacyIssuer,
        id: "",
        subject: claims.subject,
        namespace,
        serviceAccount: { name, uid },
      });
      return { user, audiences: common, annotations, warnings };
    },
  };
}

interface LegacyToken {
  readonly subject: string;
  readonly namespace: string;
  readonly secretName: string;
  readonly accountName: string;
  readonly accountUid: string;
}

/** The claims of a token, or the error about a missing one. */
function readLegacy(claims: Readonly<Record<string, unknown>>): LegacyToken | string {
  const text = (name: string): string => (typeof claims[name] === "string" ? claims[name] : "");
  const token = {
    subject: text("sub"),
    namespace: text(legacyClaimNames.namespace),
    secretName: text(legacyClaimNames.secretName),
    accountName: text(legacyClaimNames.accountName),
    accountUid: text(legacyClaimNames.accountUid),
  };
  if (token.subject === "") return "sub claim is missing";
  if (token.namespace === "") return "namespace claim is missing";
  if (token.secretName === "") return "secretName claim is missing";
  if (token.accountName === "") return "serviceAccountName claim is missing";
  if (token.accountUid === "") return "serviceAccountUID claim is missing";
  return token.subject === serviceAccountUserName(token.namespace, token.accountName)
    ? token
    : "sub claim is invalid";
}

/** The prefix of annotations about such tokens, and the one that all of them have. */
const annotated = "authentication.k8s.io/legacy-token";

/** Why a token is not accepted, and what the audit log says of its secret. */
interface Judgement {
  readonly problem?: string;
  readonly warnings?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Judges a token with a valid signature by the objects that it names. */
async function judged(
  sources: TokenSources,
  { namespace, secretName, accountName, accountUid }: LegacyToken,
  token: string,
): Promise<Judgement> {
  const secret = await sources.reader.getCachedFirst(Secret, { namespace, name: secretName });
  if (!secret || secret.metadata.deletionTimestamp)
    return { problem: "Token has been invalidated" };
  if (new TextDecoder().decode(decodeBase64(secret.data?.token ?? "")) !== token)
    return { problem: "Token does not match server's copy" };
  const account = await sources.reader.getCachedFirst(ServiceAccount, {
    namespace,
    name: accountName,
  });
  if (!account)
    return {
      problem: notFound({ group: "", resource: "serviceaccounts", name: accountName }).message,
    };
  if (account.metadata.deletionTimestamp)
    return { problem: `ServiceAccount ${namespace}/${accountName} has been deleted` };
  if (account.metadata.uid !== accountUid)
    return {
      problem: `ServiceAccount UID (${account.metadata.uid}) does not match claim (${accountUid})`,
    };
  await noteUse(sources, secret);
  if (secret.metadata.labels?.[invalidSince]) {
    sources.usedLegacyToken?.("invalidated");
    return {
      problem: `the token in secret ${namespace}/${secretName} for service account ${namespace}/${accountName} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${invalidSince}' label from the secret to temporarily allow use of this token`,
      annotations: { [`${annotated}-invalidated`]: `${secretName}/${namespace}` },
    };
  }
  const isGenerated = account.secrets?.some(({ name }) => name === secretName) ?? false;
  sources.usedLegacyToken?.(isGenerated ? "generated" : "manual");
  const kind = isGenerated ? "autogenerated" : "manual";
  const annotations = { [`${annotated}-${kind}-secret`]: secretName };
  return isGenerated ? { annotations, warnings: [generatedTokenWarning] } : { annotations };
}

const generatedTokenWarning =
  "Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.";

/** Notes on a secret, once a day, that its token is used. A conflict means that another write noted it. */
async function noteUse(
  { reader, committer, environment }: TokenSources,
  secret: Secret,
): Promise<void> {
  const now = environment.clock.now();
  const noted = secret.metadata.labels?.[lastUsed];
  // The clocks of servers differ.
  if (noted === dayOf(now) || noted === dayOf(now + 24 * 3_600_000)) return;
  const { namespace = "", name = "" } = secret.metadata;
  const address = addressOf(Secret, { namespace, name });
  const stored = reader.findCached(address);
  if (!stored) return;
  const labels = { ...secret.metadata.labels, [lastUsed]: dayOf(now) };
  const object = { ...secret, metadata: { ...secret.metadata, labels } } as ApiObject;
  await committer.put(address, { object, ifRevision: stored.revision }).catch(() => undefined);
}
