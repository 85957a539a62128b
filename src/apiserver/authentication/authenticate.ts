import { StatusError } from "../../api/meta/v1/status-error.ts";
import { errorText } from "../authorization/authorizer.ts";
import { webSocketToken } from "../connect/web-socket-token.ts";
import { anonymous, certificateUser, type User } from "../request/identity.ts";
import type { ApiRequest } from "../request/request.ts";
import type { Authenticated, Refused, TokenAuthenticator } from "./token-authenticator.ts";

/** What requests are authenticated with. */
export interface Authentication {
  readonly tokens: TokenAuthenticator;
  /** Whom a token must be meant for. */
  readonly audiences: readonly string[];
  /** Whether who shows nothing is anonymous, or refused. */
  readonly anonymous: boolean;
  /** Is told why a request was refused. */
  readonly onRefused: (error: string) => void;
}

/**
 * Who makes a request: whom a client certificate names, or else a token; anonymous for who shows
 * neither. Throws where what is shown is not valid.
 */
export async function authenticate(
  request: ApiRequest,
  { tokens, audiences, anonymous: allowsAnonymous, onRefused }: Authentication,
  warnings: string[],
): Promise<User> {
  const { peer, peerError, headers } = request;
  if (peer) return authenticated(certificateUser(peer));
  const errors = peerError === undefined ? [] : [peerError];
  const known = { tokens, audiences, warnings };
  for (const show of [
    () => bearer(headers.authorization ?? "", known),
    () => protocolToken(request, known),
  ]) {
    const outcome = await show();
    if (outcome && "user" in outcome) return outcome.user;
    errors.push(...(outcome?.errors ?? []));
  }
  if (errors.length === 0 && allowsAnonymous) return anonymous;
  if (errors.length > 0) onRefused(errorText(errors));
  throw new StatusError("Unauthorized", "Unauthorized");
}

/** Whose token a token is, as if it had come with a request; or why it is nobody's, if there is a reason. */
export async function authenticateToken(
  { tokens, anonymous: allowsAnonymous }: Authentication,
  token: string,
  audiences: readonly string[],
): Promise<Authenticated | string> {
  const outcome = await bearer(`Bearer ${token}`, { tokens, audiences, warnings: [] });
  if (!outcome) return allowsAnonymous ? { user: anonymous, audiences } : "";
  return "user" in outcome ? outcome : errorText(outcome.errors);
}

/**
 * What comes of an Authorization header; undefined where it holds no token. Who compares it with the
 * server's own token comes first, and so does what they say of another.
 */
async function bearer(
  header: string,
  {
    tokens,
    audiences,
    warnings,
  }: Pick<Authentication, "tokens" | "audiences"> & { readonly warnings: string[] },
): Promise<Authenticated | Refused | undefined> {
  const [scheme = "", token = "", more] = header.trim().split(" ");
  if (scheme.toLowerCase() !== "bearer") return undefined;
  if (token === "") {
    if (more !== undefined) warnings.push(extraSpace);
    return undefined;
  }
  const outcome = await ofToken(token, { tokens, audiences });
  return "user" in outcome ? outcome : { errors: [invalidToken, ...outcome.errors] };
}

/** What comes of a token among the protocols of a WebSocket; undefined where there is none. */
async function protocolToken(
  request: ApiRequest,
  known: Pick<Authentication, "tokens" | "audiences">,
): Promise<Authenticated | Refused | undefined> {
  const shown = webSocketToken(request);
  if (!shown) return undefined;
  return "error" in shown ? { errors: [shown.error] } : ofToken(shown.token, known);
}

async function ofToken(
  token: string,
  { tokens, audiences }: Pick<Authentication, "tokens" | "audiences">,
): Promise<Authenticated | Refused> {
  const outcome = await tokens.authenticate(token, audiences);
  if ("user" in outcome) return { ...outcome, user: authenticated(outcome.user) };
  return outcome.errors.length > 0 ? outcome : { errors: [invalidToken] };
}

const invalidToken = "invalid bearer token";

const extraSpace =
  "the provided Authorization header contains extra space before the bearer token, and is ignored";

/** Whoever is known is in this group, unless it is said already whether they are. */
function authenticated(user: User): User {
  const isSaid = user.groups.some((group) => /^system:(un)?authenticated$/.test(group));
  if (isSaid || user.name === anonymous.name) return user;
  return { ...user, groups: [...user.groups, "system:authenticated"] };
}
