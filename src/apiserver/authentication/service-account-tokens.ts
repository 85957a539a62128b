import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import { ServiceAccount } from "../../api/core/v1/service-account.ts";
import { notFound } from "../../api/meta/v1/status-error.ts";
import type { SigningKey, VerifyingKey } from "../../base/cryptography/token-key.ts";
import { quote } from "../../schema/values/quote.ts";
import { millisOf, parseTime } from "../../schema/values/time.ts";
import type { ApiObject } from "../objects/object.ts";
import type { KindOf, ObjectKey } from "../objects/reader.ts";
import type { User } from "../request/identity.ts";
import { readClaims, type ServiceAccountClaims } from "./service-account-claims.ts";
import { serviceAccountUser } from "./service-account-user.ts";
import type { SignedToken, SignedTokenAuthenticator } from "./signed-tokens.ts";
import { commonAudiences, refused } from "./token-authenticator.ts";
import type { TokenSources } from "./token-sources.ts";

/** Issues tokens of service accounts, and has the keys that verify them; keys may change while it is used. */
export interface TokenIssuer {
  /** New tokens name the first issuer; tokens of all are accepted. */
  readonly issuers: readonly string[];
  /** The audiences of this server, one of which a token must have. */
  readonly audiences: readonly string[];
  readonly signer: SigningKey;
  readonly keys: readonly VerifyingKey[];
  /** The longest lifetime of a token; without it there is no limit. */
  readonly maxSeconds?: number;
  /** Signs tokens instead of `signer`; returns a token with these claims. */
  readonly signToken?: (claims: object) => Promise<string>;
  /** Learns new keys, when a token names a key that is not known; none are to be learned if not given. */
  readonly refreshKeys?: () => Promise<void>;
  /** How many seconds others may keep the keys; an hour if not given. */
  readonly keysAgeSeconds?: () => number;
  /** The longest extended lifetime of a token of a pod; a year if not given. */
  readonly mostExtendedSeconds?: number;
  /** Whether the tokens of pods get an extended lifetime; true if not given. */
  readonly extendsPodTokens?: boolean;
  /** The URL at which others find the keys, if not at this server. */
  readonly keysUrl?: string;
}

/** Tolerance for the times of a token, because clocks differ. */
const leewaySeconds = 60;

/** Authenticates tokens of service accounts; the account and the bound object must still exist. */
export function serviceAccountTokens(
  sources: TokenSources,
  issuer: TokenIssuer,
): SignedTokenAuthenticator {
  const seen = new WeakMap<object, SeenToken>();
  return {
    knows: (name) => issuer.issuers.includes(String(name)),
    async authenticate(token, audiences) {
      await learnKeys(issuer, token.header.kid);
      const fault = token.verify();
      if (fault !== undefined) return refused(fault);
      let read = seen.get(token.identity);
      if (!read) {
        read = readToken(token);
        seen.set(token.identity, read);
      }
      const { claims, user } = read;
      if (!claims || !user) return refused("service account token claims have unexpected types");
      const meantFor = claims.audiences.length === 0 ? issuer.audiences : claims.audiences;
      const common = commonAudiences(meantFor, audiences);
      if (common.length === 0)
        return refused(
          `token audiences ${quoteAll(meantFor)} is invalid for the target audiences ${quoteAll(audiences)}`,
        );
      const problem = timeProblem(claims, sources) ?? (await goneProblem(claims, sources));
      if (problem !== undefined) return refused(problem);
      const annotations = notedUse(claims, sources);
      return { user, audiences: common, annotations };
    },
  };
}

/** What a token says, whenever it is used; nothing if it cannot be read. */
interface SeenToken {
  readonly claims?: ServiceAccountClaims;
  readonly user?: User;
}

function readToken(token: SignedToken): SeenToken {
  const claims = readClaims(token.claims);
  return claims ? { claims, user: serviceAccountUser(claims) } : {};
}

/** Learns the keys of tokens that name an unknown one, where keys are maintained elsewhere. */
export function learnKeys(issuer: TokenIssuer, id: unknown): Promise<void> | undefined {
  return issuer.refreshKeys && !issuer.keys.some((key) => key.id === id)
    ? issuer.refreshKeys()
    : undefined;
}

const quoteAll = (texts: readonly string[]): string => `[${texts.map(quote).join(" ")}]`;

function timeProblem(
  { notBefore, expires, issuedAt }: ServiceAccountClaims,
  { environment: { clock } }: TokenSources,
): string | undefined {
  const now = clock.now() / 1000;
  if (notBefore !== undefined && now + leewaySeconds < notBefore)
    return "service account token is not valid yet";
  if (expires !== undefined && now - leewaySeconds > expires)
    return "service account token has expired";
  if (issuedAt !== undefined && now + leewaySeconds < issuedAt)
    return "service account token is issued in the future";
  return undefined;
}

/**
 * Counts the use of extended tokens, which hold the time at which they should have been renewed; the annotation of
 * those that should have been.
 */
function notedUse(
  { warnAfter, subject }: ServiceAccountClaims,
  { environment: { clock }, usedToken }: TokenSources,
): Readonly<Record<string, string>> | undefined {
  if (!warnAfter) return undefined;
  const isStale = clock.now() > warnAfter * 1000;
  usedToken?.(isStale);
  if (!isStale) return undefined;
  const seconds = Math.floor(clock.now() / 1000) - warnAfter;
  const text = `subject: ${subject}, seconds after warning threshold: ${seconds}`;
  return { "authentication.k8s.io/stale-token": text };
}

/** The error for an object of the token that is gone, or was replaced by another of the same name. */
async function goneProblem(
  { namespace, serviceAccount, secret, pod, node }: ServiceAccountClaims,
  sources: TokenSources,
): Promise<string | undefined> {
  const account = await lookUp(sources, ServiceAccount, { namespace, name: serviceAccount.name });
  if (!account)
    return notFound({ group: "", resource: "serviceaccounts", name: serviceAccount.name }).message;
  const { uid = "" } = account.metadata;
  if (uid !== serviceAccount.uid)
    return `service account UID (${uid}) does not match claim (${serviceAccount.uid})`;
  if (isEnded(sources, account))
    return `service account ${namespace}/${serviceAccount.name} has been deleted`;
  const bound = { secret, pod, node: pod ? undefined : node };
  for (const what of ["secret", "pod", "node"] as const) {
    const ref = bound[what];
    if (!ref) continue;
    const key = { namespace: what === "node" ? "" : namespace, name: ref.name };
    const object = await lookUp<Bound>(sources, boundKinds[what], key);
    if (object && object.metadata.uid !== ref.uid)
      return `${what} UID (${object.metadata.uid}) does not match service account ${what} ref claim (${ref.uid})`;
    if (!object || isEnded(sources, object)) return "service account token has been invalidated";
  }
  return undefined;
}

const boundKinds = { secret: Secret, pod: Pod, node: Node } as const;
type Bound = Pick<ApiObject, "metadata">;

/** The object as the cache has it; a token may also name none. */
const lookUp = async <O>(
  { reader }: TokenSources,
  kind: KindOf<O>,
  key: ObjectKey,
): Promise<O | undefined> => (key.name === "" ? undefined : reader.getCachedFirst(kind, key));

/** Whether an object's deletion timestamp has passed. */
function isEnded({ environment: { clock } }: TokenSources, { metadata }: Bound): boolean {
  const { deletionTimestamp } = metadata;
  if (!deletionTimestamp) return false;
  return millisOf(parseTime(deletionTimestamp)) < clock.now() - leewaySeconds * 1000;
}
