import type { Clock, Timer } from "../../../base/clock.ts";
import type { VerifySignature } from "../../../base/cryptography/verify-signature.ts";
import { errorMessage } from "../../../base/error-message.ts";
import type { Log } from "../../../base/log.ts";
import type { Network } from "../../../base/network.ts";
import { isMap, member } from "../../../schema/json/json-value.ts";
import { quote } from "../../../schema/values/quote.ts";
import type { Egress } from "../../connect/egress.ts";
import type { JwtMetrics } from "../../metrics/jwt-metrics.ts";
import type { User } from "../../request/identity.ts";
import { withDistributedClaim } from "./distributed-claims.ts";
import { untrustedIssuer, verifiedClaims } from "./id-token.ts";
import { IssuerRequests } from "./issuer-requests.ts";
import { parseDocument, RemoteKeys } from "./remote-keys.ts";
import { userOfClaims } from "./user-of-claims.ts";
import type { CheckedJwtAuthenticator } from "./validate-jwt-authenticator.ts";

/** What authenticators of tokens need of their server. */
export interface JwtSetup {
  readonly egress: Egress;
  readonly clock: Clock;
  readonly log: Log;
  /** Milliseconds of a clock that only goes forward. */
  readonly ticks: () => number;
  readonly verifySignature: VerifySignature;
  readonly metrics: JwtMetrics;
  /** The algorithms that tokens may be signed with. */
  readonly algorithms: readonly string[];
}

/** The network of an issuer's server; a configuration names only those that are selected. */
function networkOf({ direct, cluster, controlPlane }: Egress, type: string): Network {
  if (type === "") return direct;
  return type === "cluster" ? cluster : controlPlane;
}

/** How long after a failure an issuer is discovered again. */
const retryMs = 10_000;

/** The keys of an issuer, once it was discovered. */
interface Discovery {
  readonly keys: RemoteKeys | undefined;
  /** Why there are no keys; undefined if there are. */
  readonly fault: string | undefined;
}

/** Authenticates the tokens of one issuer, which is discovered in the background: it may be a part of the cluster. */
export class JwtAuthenticator {
  readonly #setup: JwtSetup;
  readonly #checked: CheckedJwtAuthenticator;
  readonly #requests: IssuerRequests;
  readonly #own: Issuer;
  /** Resolves when the issuer was discovered, or the first attempt at it has failed. */
  readonly attempted: Promise<void>;
  /** Issuers of claims that tokens of this one have elsewhere. */
  readonly #others = new Map<string, Issuer>();

  constructor(checked: CheckedJwtAuthenticator, setup: JwtSetup) {
    this.#checked = checked;
    this.#setup = setup;
    const { issuer = {} } = checked.configuration;
    const { certificateAuthority, discoveryURL, egressSelectorType = "" } = issuer;
    const { clock, egress } = setup;
    const network = networkOf(egress, egressSelectorType);
    this.#requests = new IssuerRequests({ network, clock }, certificateAuthority);
    this.#own = new Issuer(this.url, {
      ...setup,
      requests: this.#requests,
      discoveryUrl: discoveryURL || wellKnown(this.url),
      onFetch: (keySet) => setup.metrics.fetchedKeys(this.url, keySet),
    });
    this.attempted = this.#own.start();
  }

  /** The URL of the issuer. */
  get url(): string {
    return this.#checked.configuration.issuer?.url ?? "";
  }

  /** Why tokens cannot be verified yet; undefined if they can be. */
  get unhealthy(): string | undefined {
    const { fault } = this.#own.discovery;
    return fault === undefined
      ? undefined
      : `oidc: authenticator for issuer ${quote(this.url)} is not healthy: ${fault}`;
  }

  /** The user of a token of this issuer; undefined for tokens of others. Throws if it is not valid. */
  async authenticate(token: string): Promise<User | undefined> {
    if (untrustedIssuer(token) !== this.url) return undefined;
    const { metrics, ticks } = this.#setup;
    const begun = ticks();
    const took = (result: "success" | "failure"): void =>
      metrics.authenticated(this.url, result, (ticks() - begun) / 1000);
    try {
      const user = await this.#userOf(token);
      took("success");
      return user;
    } catch (error) {
      took("failure");
      throw error;
    }
  }

  close(): void {
    for (const issuer of [this.#own, ...this.#others.values()]) issuer.close();
    this.#requests.close();
  }

  async #userOf(token: string): Promise<User> {
    const { keys } = this.#own.discovery;
    if (!keys) throw new Error("oidc: authenticator not initialized");
    const claims = await within("oidc: verify token", () => this.#verified(this.#own, token));
    const groups = this.#checked.configuration.claimMappings?.groups?.claim ?? "";
    if (groups === "") return userOfClaims(claims, this.#checked);
    const all = await within("oidc: could not expand distributed claims", () =>
      withDistributedClaim(claims, groups, {
        get: (url, authorization) => this.#requests.get(url, authorization),
        verified: (issuer, found) => this.#verifiedElsewhere(issuer, found),
      }),
    );
    return userOfClaims(all, this.#checked);
  }

  #verified({ url, discovery }: Issuer, token: string) {
    const { algorithms, clock } = this.#setup;
    const audiences = this.#checked.configuration.issuer?.audiences ?? [];
    const { keys } = discovery;
    if (!keys) throw new Error(`verifier not initialized for issuer: ${quote(url)}`);
    return verifiedClaims(token, { issuer: url, audiences, algorithms, keys, clock });
  }

  /** Verifies a token of the issuer of a claim; like upstream, it fails until that issuer was discovered. */
  async #verifiedElsewhere(url: string, token: string) {
    let issuer = this.#others.get(url);
    if (!issuer) {
      if (this.#others.size >= mostOthers)
        throw new Error("too many issuers of distributed claims");
      const requests = this.#requests;
      issuer = new Issuer(url, { ...this.#setup, requests, discoveryUrl: wellKnown(url) });
      this.#others.set(url, issuer);
      void issuer.start();
    }
    const { keys } = issuer.discovery;
    if (!keys)
      throw new Error(
        `verifying untrusted issuer ${url} failed: verifier not initialized for issuer: ${quote(url)}`,
      );
    return within("verify distributed claim token", () => this.#verified(issuer, token));
  }
}

/** An endpoint names the issuer of what it returns, so that there must be few. */
const mostOthers = 16;

const wellKnown = (url: string): string =>
  `${url.replace(/\/$/, "")}/.well-known/openid-configuration`;

interface IssuerOptions extends Pick<JwtSetup, "clock" | "log" | "verifySignature"> {
  readonly requests: IssuerRequests;
  readonly discoveryUrl: string;
  readonly onFetch?: (keySet?: string) => void;
}

/** An issuer whose discovery document is requested until it can be used. */
class Issuer {
  readonly url: string;
  readonly #options: IssuerOptions;
  #timer: Timer | undefined;
  #isClosed = false;
  discovery: Discovery;

  constructor(url: string, options: IssuerOptions) {
    this.url = url;
    this.#options = options;
    const fault = `oidc: authenticator for issuer ${quote(url)} is not initialized`;
    this.discovery = { keys: undefined, fault };
  }

  /** Resolves after the first attempt. */
  start(): Promise<void> {
    const { clock, log } = this.#options;
    return this.#discover().then(
      (keys) => {
        this.discovery = { keys, fault: undefined };
      },
      (error: unknown) => {
        if (this.#isClosed) return;
        log.error("discovering an issuer of tokens failed", error, { issuer: this.url });
        this.discovery = { keys: undefined, fault: errorMessage(error) };
        this.#timer = clock.setTimer(retryMs, () => void this.start());
      },
    );
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  async #discover(): Promise<RemoteKeys> {
    const { requests, discoveryUrl, clock, verifySignature: verify, onFetch } = this.#options;
    const response = await requests.get(discoveryUrl);
    const { code, status, text } = response;
    if (code !== 200) throw new Error(`${status}: ${text}`);
    const document = parseDocument(
      response,
      (fault) => `oidc: failed to decode provider discovery object: ${fault}`,
    );
    const [issuer, url] = ["issuer", "jwks_uri"].map((name) => {
      const value = isMap(document) ? member(document, name) : undefined;
      return typeof value === "string" ? value : "";
    });
    if (issuer !== this.url)
      throw new Error(
        `oidc: issuer did not match the issuer returned by provider, expected ${quote(this.url)} got ${quote(issuer ?? "")}`,
      );
    if (!url) throw new Error("provider did not return JWKS URL");
    return new RemoteKeys({ url, requests, clock, verify, ...(onFetch && { onFetch }) });
  }
}

async function within<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new Error(what, { cause });
  }
}
