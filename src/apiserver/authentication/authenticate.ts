import { StatusError } from "../../api/meta/v1/status-error.ts";
import { errorText } from "../authorization/authorizer.ts";
import { webSocketToken } from "../connect/web-socket-token.ts";
import { anonymous, certificateUser, type User } from "../request/identity.ts";
import type { ApiRequest } from "../request/request.ts";
import { decodedPath } from "../request/request-info.ts";
import { type FrontProxies, proxiedUser } from "./front-proxy.ts";
import type { Authenticated, Refused, TokenAuthenticator } from "./token-authenticator.ts";

/** What the authentication of requests needs. */
export interface Authentication {
  readonly tokens: TokenAuthenticator;
  /** The audiences, one of which a token must have. */
  readonly audiences: readonly string[];
  /** Whether requests without credentials are anonymous rather than rejected. */
  readonly anonymous: AnonymousAccess;
  /** The front proxies that may name the user of a request; none may if not given. */
  readonly frontProxies?: FrontProxies | undefined;
  /** Called with the reason of each rejection. */
  readonly onRefused: (error: string) => void;
  /** Called with the expiry of each certificate that names a caller, in milliseconds since 1970. */
  readonly onCertificate?: (validUntil: number) => void;
}

/** Whether requests may be anonymous: all, none, or those for some paths. */
export type AnonymousAccess = boolean | { readonly paths: ReadonlySet<string> };

/** What authentication says of a request beside its user. */
export interface AuthenticationNotes {
  readonly warnings: string[];
  /** Adds an annotation for the audit log. */
  annotate(key: string, value: string): void;
}

/** The parts of a request that say who its caller is. */
export type Credentials = Pick<
  ApiRequest,
  "path" | "headers" | "rawHeaders" | "peer" | "peerError"
>;

/**
 * The caller of a request: the user that a front proxy names, that of its client certificate, or else of its token; anonymous without
 * either. Throws where a credential is invalid.
 */
export async function authenticate(
  request: Credentials,
  {
    tokens,
    audiences,
    anonymous: allowsAnonymous,
    frontProxies,
    onRefused,
    onCertificate,
  }: Authentication,
  notes: AuthenticationNotes,
): Promise<User> {
  const { peer, peerError, headers } = request;
  const proxied = frontProxies && proxiedUser(request, frontProxies);
  if (typeof proxied === "object") return authenticated(proxied);
  if (peer && peer.proxy !== "alone") {
    if (peer.validUntil !== undefined) onCertificate?.(peer.validUntil);
    return authenticated(certificateUser(peer));
  }
  const errors = [proxied, peer && unknownAuthority, peerError].filter(
    (error) => error !== undefined,
  );
  const known = { tokens, audiences, notes };
  for (const attempt of [
    () => bearer(headers.authorization ?? "", known),
    () => protocolToken(request, known),
  ]) {
    const outcome = await attempt();
    if (outcome && "user" in outcome) return outcome.user;
    errors.push(...(outcome?.errors ?? []));
  }
  if (errors.length === 0 && mayBeAnonymous(allowsAnonymous, request.path)) return anonymous;
  if (errors.length > 0) onRefused(errorText(errors));
  throw new StatusError("Unauthorized", "Unauthorized");
}

/** The user of a token, as if a request had carried it; otherwise the reason for rejecting it, or "". */
export async function authenticateToken(
  { tokens, anonymous: allowsAnonymous }: Authentication,
  token: string,
  audiences: readonly string[],
): Promise<Authenticated | string> {
  const notes = { warnings: [], annotate: () => {} };
  const outcome = await bearer(`Bearer ${token}`, { tokens, audiences, notes });
  // A review has no path.
  if (!outcome) return allowsAnonymous === true ? { user: anonymous, audiences } : "";
  return "user" in outcome ? outcome : errorText(outcome.errors);
}

/**
 * The outcome of an Authorization header; undefined where it holds no token. Upstream compares with the
 * server's own token first, so its error comes before the others.
 */
async function bearer(header: string, known: Known): Promise<Authenticated | Refused | undefined> {
  const [scheme = "", token = "", more] = header.trim().split(" ");
  if (scheme.toLowerCase() !== "bearer") return undefined;
  if (token === "") {
    if (more !== undefined) known.notes.warnings.push(extraSpace);
    return undefined;
  }
  const outcome = await ofToken(token, known);
  return "user" in outcome ? outcome : { errors: [invalidToken, ...outcome.errors] };
}

/** The outcome of a token among the protocols of a WebSocket; undefined where there is none. */
async function protocolToken(
  request: Credentials,
  known: Known,
): Promise<Authenticated | Refused | undefined> {
  const shown = webSocketToken(request);
  if (!shown) return undefined;
  return "error" in shown ? { errors: [shown.error] } : ofToken(shown.token, known);
}

async function ofToken(
  token: string,
  { tokens, audiences, notes }: Known,
): Promise<Authenticated | Refused> {
  const outcome = await tokens.authenticate(token, audiences);
  for (const [key, value] of Object.entries(outcome.annotations ?? {})) notes.annotate(key, value);
  if (outcome.warnings) notes.warnings.push(...outcome.warnings);
  if ("user" in outcome) return { ...outcome, user: authenticated(outcome.user) };
  return outcome.errors.length > 0 ? outcome : { errors: [invalidToken] };
}

/** How tokens are authenticated, and where notes about them go. */
interface Known extends Pick<Authentication, "tokens" | "audiences"> {
  readonly notes: AuthenticationNotes;
}

/** The error for the certificate of a front proxy, which is no client itself. */
const unknownAuthority = "x509: certificate signed by unknown authority";

const invalidToken = "invalid bearer token";

const extraSpace =
  "the provided Authorization header contains extra space before the bearer token, and is ignored";

const mayBeAnonymous = (access: AnonymousAccess, path: string): boolean =>
  typeof access === "boolean" ? access : access.paths.has(decodedPath(path) ?? path);

/** Adds the group of authenticated users, unless the user already has it or its opposite. */
function authenticated(user: User): User {
  let known = authenticatedUsers.get(user);
  if (!known) {
    const hasGroup = user.groups.some((group) => /^system:(un)?authenticated$/.test(group));
    known =
      hasGroup || user.name === anonymous.name
        ? user
        : { ...user, groups: [...user.groups, "system:authenticated"] };
    authenticatedUsers.set(user, known);
  }
  return known;
}

/** A user with and without the group: what depends on the user alone can be kept by it. */
const authenticatedUsers = new WeakMap<User, User>();
