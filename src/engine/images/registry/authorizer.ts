import type { Credentials } from "./credentials.ts";
import {
  type HostTls,
  type HttpConnections,
  type HttpResponse,
  readBody,
} from "./http-connections.ts";
import { RegistryError } from "./registry-error.ts";
import { type Challenge, parseChallenges } from "./www-authenticate.ts";

export interface AuthorizerOptions {
  readonly connections: HttpConnections;
  readonly credentials: Credentials | undefined;
  readonly tls?: HostTls | undefined;
}

/** Answers the challenges of one server: with a token that it fetches, or with a password. */
export class Authorizer {
  readonly #options: AuthorizerOptions;
  /** The header by the scope that it is good for, and until when it is, in milliseconds. */
  readonly #headers = new Map<string, { readonly value: string; readonly until: number }>();

  constructor(options: AuthorizerOptions) {
    this.#options = options;
    const { registryToken = "" } = options.credentials ?? {};
    if (registryToken !== "") this.#keep("", `Bearer ${registryToken}`);
  }

  /** The header Authorization for a scope, if the server has asked for one already. */
  header(scope: string): string | undefined {
    const known = this.#headers.get(scope) ?? this.#headers.get("");
    return known !== undefined && Date.now() < known.until ? known.value : undefined;
  }

  /**
   * Gets what a server asked for with status 401; resolves with whether there is something new to send. Throws
   * if it asked for something we do not have, or says that what we sent is not enough.
   */
  async answer(response: HttpResponse, scope: string, signal?: AbortSignal): Promise<boolean> {
    const challenges = parseChallenges(response.headers["www-authenticate"] ?? "");
    const wasSent = this.header(scope) !== undefined;
    for (const challenge of challenges) {
      const { error = "" } = challenge.parameters;
      if (wasSent) {
        this.#headers.delete(scope);
        if (error === "") return false;
        throw denied(`server message: ${error}: authorization failed`);
      }
      if (challenge.scheme === "bearer") {
        const answer = await this.#fetchToken(challenge, scope, { url: response.url, signal });
        this.#keep(scope, `Bearer ${answer.token}`, answer.seconds);
        return true;
      }
      if (challenge.scheme === "basic") {
        const basic = this.#basic();
        if (basic === undefined) throw denied("authorization failed: no basic auth credentials");
        this.#keep("", basic);
        return true;
      }
    }
    throw new RegistryError("Denied", "failed to find supported auth scheme: not implemented");
  }

  #keep(scope: string, value: string, seconds = Number.POSITIVE_INFINITY): void {
    this.#headers.set(scope, { value, until: Date.now() + seconds * 1000 });
  }

  #basic(): string | undefined {
    const { username = "", password = "" } = this.#options.credentials ?? {};
    if (username === "") return undefined;
    return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  }

  async #fetchToken(
    { parameters }: Challenge,
    wanted: string,
    { url, signal }: { url: URL; signal: AbortSignal | undefined },
  ): Promise<Token> {
    const { connections, credentials, tls } = this.#options;
    const realm = realmOf(parameters.realm, url);
    const query = new URLSearchParams({ service: parameters.service ?? "" });
    for (const scope of new Set([...(parameters.scope ?? "").split(" "), wanted]))
      if (scope !== "") query.append("scope", scope);
    // The realm is usually another host: the certificates of the registry are only for itself.
    const sameHost = realm.host === url.host ? { tls } : {};
    const refresh = credentials?.identityToken ?? "";
    const basic = this.#basic();
    const kind = refresh !== "" || basic !== undefined ? "oauth" : "anonymous";
    const response = await connections
      .send(
        refresh === ""
          ? {
              method: "GET",
              url: withQuery(realm, query),
              headers: basic === undefined ? {} : { Authorization: basic },
              signal,
              ...sameHost,
            }
          : { method: "POST", url: realm, ...refreshBody(query, refresh), signal, ...sameHost },
      )
      .catch((error: unknown) => {
        throw error instanceof RegistryError
          ? error.within(`failed to authorize: failed to fetch ${kind} token`)
          : error;
      });
    const body = await readBody(response.body, 1024 * 1024);
    if (response.status !== 200)
      throw new RegistryError(
        response.status === 401 || response.status === 403 ? "Denied" : "Unexpected",
        `failed to authorize: failed to fetch ${kind} token: unexpected status from ${refresh === "" ? "GET" : "POST"} request to ${withQuery(realm, query).href}: ${response.statusText}`,
      );
    return tokenOf(body);
  }
}

const denied = (message: string): RegistryError =>
  new RegistryError(
    "Denied",
    `pull access denied, repository does not exist or may require authorization: ${message}`,
  );

interface Token {
  readonly token: string;
  /** How long it is used. */
  readonly seconds: number;
}

/** Credentials go to the realm: a server with TLS cannot send them to one without. */
function realmOf(text: string | undefined, from: URL): URL {
  if (text === undefined || text === "")
    throw new RegistryError("Unexpected", "no realm specified for token auth challenge");
  const realm = URL.canParse(text) ? new URL(text) : undefined;
  const isAllowed =
    realm?.protocol === "https:" || (realm?.protocol === "http:" && from.protocol === "http:");
  if (realm === undefined || !isAllowed)
    throw new RegistryError(
      "Unexpected",
      `invalid token auth challenge realm: ${JSON.stringify(text.slice(0, 200))}`,
    );
  return realm;
}

function withQuery(realm: URL, query: URLSearchParams): URL {
  const url = new URL(realm);
  for (const [name, value] of query) if (value !== "") url.searchParams.append(name, value);
  return url;
}

function refreshBody(query: URLSearchParams, refreshToken: string) {
  const form = new URLSearchParams({
    grant_type: "refresh_token",
    service: query.get("service") ?? "",
    client_id: "wherry",
    scope: query.getAll("scope").join(" "),
    refresh_token: refreshToken,
  });
  return {
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body: Buffer.from(form.toString()),
  };
}

function tokenOf(body: Buffer): Token {
  let answer: { token?: unknown; access_token?: unknown; expires_in?: unknown };
  try {
    answer = JSON.parse(body.toString("utf8")) as typeof answer;
  } catch (cause) {
    throw new RegistryError("Unexpected", "failed to authorize: unable to decode token response", {
      cause,
    });
  }
  const token = answer.token || answer.access_token;
  // A token with other characters could end the header.
  if (typeof token === "string" && /^[\x21-\x7e]+$/.test(token)) {
    const lasts = typeof answer.expires_in === "number" ? answer.expires_in : 0;
    // The specification's shortest duration, less some time for the request itself.
    return { token, seconds: Math.max(60, lasts) - 10 };
  }
  throw new RegistryError(
    "Unexpected",
    "failed to authorize: authorization server did not include a token in the response",
  );
}
