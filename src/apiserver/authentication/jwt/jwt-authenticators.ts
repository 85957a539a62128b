import { aggregateMessage } from "../../../base/aggregate-message.ts";
import { sleep } from "../../../base/clock.ts";
import { errorMessage } from "../../../base/error-message.ts";
import type { User } from "../../request/identity.ts";
import {
  type Authenticated,
  commonAudiences,
  type Refused,
  refused,
  type TokenAuthenticator,
  unknownToken,
} from "../token-authenticator.ts";
import { JwtAuthenticator, type JwtSetup } from "./jwt-authenticator.ts";
import type { CheckedJwtAuthenticator } from "./validate-jwt-authenticator.ts";

/** How long replaced authenticators finish what they have begun. */
const graceMs = 60_000;
/** How long new authenticators may take until all their issuers are discovered. */
const readyMs = 60_000;
const pollMs = 10_000;

/** Authenticates the tokens of several issuers, which can be replaced while the server runs. */
export class JwtAuthenticators implements TokenAuthenticator {
  readonly #setup: JwtSetup;
  readonly #own: readonly string[];
  #current: readonly JwtAuthenticator[];
  readonly #closing = new AbortController();

  constructor(
    checked: readonly CheckedJwtAuthenticator[],
    setup: JwtSetup,
    { audiences }: { readonly audiences: readonly string[] },
  ) {
    this.#setup = setup;
    this.#own = audiences;
    this.#current = made(checked, setup);
  }

  /** Tokens of these issuers are for this server; a failure of one issuer ends the search. */
  async authenticate(
    token: string,
    audiences: readonly string[],
  ): Promise<Authenticated | Refused> {
    const common = commonAudiences(this.#own, audiences);
    if (common.length === 0) return unknownToken;
    for (const authenticator of this.#current) {
      let user: User | undefined;
      try {
        user = await authenticator.authenticate(token);
      } catch (error) {
        return refused(errorMessage(error));
      }
      if (user) return { user, audiences: common };
    }
    return unknownToken;
  }

  /** Replaces all authenticators once every issuer was discovered; throws, and keeps those in use, if one is not. */
  async replace(checked: readonly CheckedJwtAuthenticator[]): Promise<void> {
    const { clock } = this.#setup;
    const { signal } = this.#closing;
    const next = made(checked, this.#setup);
    const until = clock.now() + readyMs;
    try {
      for (;;) {
        await settled(next);
        const faults = next.flatMap(({ unhealthy }) => unhealthy ?? []);
        if (faults.length === 0) break;
        if (clock.now() + pollMs > until)
          throw new Error(aggregateMessage([...faults, "context deadline exceeded"]));
        await sleep(clock, pollMs, signal);
      }
      signal.throwIfAborted();
    } catch (error) {
      for (const authenticator of next) authenticator.close();
      throw error;
    }
    const before = this.#current;
    this.#current = next;
    void this.#retire(before, new Set(next.map(({ url }) => url)));
  }

  close(): void {
    this.#closing.abort();
    for (const authenticator of this.#current) authenticator.close();
  }

  async #retire(before: readonly JwtAuthenticator[], kept: ReadonlySet<string>): Promise<void> {
    const { clock, metrics } = this.#setup;
    await sleep(clock, graceMs, this.#closing.signal).catch(() => {});
    for (const authenticator of before) {
      authenticator.close();
      if (!kept.has(authenticator.url)) metrics.forget(authenticator.url);
    }
  }
}

const made = (checked: readonly CheckedJwtAuthenticator[], setup: JwtSetup) =>
  checked.map((one) => new JwtAuthenticator(one, setup));

/** Waits for the first attempts, so that what works at once is used at once. */
const settled = (authenticators: readonly JwtAuthenticator[]): Promise<unknown> =>
  Promise.all(authenticators.map(({ attempted }) => attempted));
