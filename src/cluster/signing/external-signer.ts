import { decodeBase64Url, encodeBase64Url } from "../../base/base64.ts";
import { type Clock, sleep, type Timer } from "../../base/clock.ts";
import type { VerifyingKey } from "../../base/cryptography/token-key.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { Log } from "../../base/log.ts";
import { createGrpcClient, type GrpcClient } from "../../platform/grpc/grpc-client.ts";
import { GrpcError, grpcCodes } from "../../platform/grpc/grpc-error.ts";
import { quote } from "../../schema/values/quote.ts";
import { type FetchedKeys, keysFault, readKeys } from "./external-keys.ts";
import { signerMethods } from "./signer-methods.ts";

export interface ExternalSignerOptions {
  readonly clock: Clock;
  readonly log: Log;
}

/** A program that signs tokens at a Unix socket, and has the keys that verify them. */
export interface ExternalSigner {
  /** The keys as they were fetched last. */
  readonly keys: readonly VerifyingKey[];
  /** The longest lifetime of a token that it signs. */
  readonly maxSeconds: number;
  /** A token with these claims. */
  sign(claims: object): Promise<string>;
  /** Fetches the keys; calls at the same time share one. */
  refresh(): Promise<void>;
  /** Seconds until the keys are fetched again. */
  keysAgeSeconds(): number;
  close(): void;
}

/** How long a program that starts together with the server may take. */
const startMs = 60_000;
const metadataMs = 10_000;
const retryMs = 500;
const syncMs = 60_000;
/** When to try again after keys could not be fetched. */
const fallbackMs = 10_000;
const leastSeconds = 600;

/** Connects to a signer; waits until it is there, and fetches its keys, which are kept up to date. */
export async function openExternalSigner(
  path: string,
  { clock, log }: ExternalSignerOptions,
): Promise<ExternalSigner> {
  const client = createGrpcClient({ address: `unix://${path}` });
  try {
    const fetched = await whenReachable(clock, () => fetchKeys(client, startMs)).catch((error) => {
      throw new Error(`while initially filling key cache: ${errorMessage(error)}`);
    });
    const { max_token_expiration_seconds: maxSeconds } = await client.unary(
      signerMethods.metadata,
      {},
      { timeoutMs: metadataMs },
    );
    if (maxSeconds < leastSeconds)
      throw new Error(
        `max token life supported by external-jwt-signer (${maxSeconds}s) is less than acceptable (min ${leastSeconds}s)`,
      );
    return new OpenedSigner(client, { clock, log, maxSeconds, fetched });
  } catch (cause) {
    client.close();
    throw new Error("while setting up external-jwt-signer", { cause });
  }
}

/** Retries while nobody listens at the socket. */
async function whenReachable<T>(clock: Clock, call: () => Promise<T>): Promise<T> {
  const end = clock.now() + startMs;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const isAbsent = error instanceof GrpcError && error.code === grpcCodes.unavailable;
      if (!isAbsent || clock.now() + retryMs > end) throw error;
    }
    await sleep(clock, retryMs);
  }
}

async function fetchKeys(client: GrpcClient, timeoutMs: number): Promise<FetchedKeys> {
  const response = await client.unary(signerMethods.fetchKeys, {}, { timeoutMs });
  const fault = keysFault(response);
  if (fault !== undefined) throw new Error(`while fetching token verification keys: ${fault}`);
  return readKeys(response);
}

interface SignerParts extends ExternalSignerOptions {
  readonly maxSeconds: number;
  readonly fetched: FetchedKeys;
}

class OpenedSigner implements ExternalSigner {
  readonly maxSeconds: number;
  readonly #client: GrpcClient;
  readonly #clock: Clock;
  readonly #log: Log;
  #fetched: FetchedKeys;
  #due = 0;
  #timer: Timer | undefined;
  #refreshing: Promise<void> | undefined;
  #isClosed = false;

  constructor(client: GrpcClient, { clock, log, maxSeconds, fetched }: SignerParts) {
    this.#client = client;
    this.#clock = clock;
    this.#log = log;
    this.maxSeconds = maxSeconds;
    this.#fetched = fetched;
    this.#refreshIn(fetched.refreshSeconds * 1000);
  }

  get keys(): readonly VerifyingKey[] {
    return this.#fetched.keys;
  }

  async sign(claims: object): Promise<string> {
    const payload = encodeBase64Url(new TextEncoder().encode(JSON.stringify(claims)));
    const { header, signature } = await this.#client
      .unary(signerMethods.sign, { claims: payload }, { timeoutMs: syncMs })
      .catch((cause: unknown) => {
        throw new Error("while signing jwt", { cause });
      });
    const fault = headerFault(header, this.keys);
    if (fault !== undefined) throw new Error(`while validating header: ${fault}`);
    if (signature === "") throw new Error("empty signature returned");
    return `${header}.${payload}.${signature}`;
  }

  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  keysAgeSeconds(): number {
    return Math.max(0, Math.floor((this.#due - this.#clock.now()) / 1000));
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#client.close();
  }

  /** Fetches the keys; those of before stay in use if that fails. */
  async #refresh(): Promise<void> {
    let nextMs = fallbackMs;
    try {
      const fetched = await fetchKeys(this.#client, syncMs);
      nextMs = fetched.refreshSeconds * 1000;
      // Another list means that tokens are verified again.
      if (!sameKeys(this.#fetched.keys, fetched.keys)) this.#fetched = fetched;
    } catch (error) {
      if (!this.#isClosed) this.#log.error("fetching the keys of the signer failed", error);
    }
    this.#refreshIn(nextMs);
  }

  #refreshIn(ms: number): void {
    this.#timer?.cancel();
    if (this.#isClosed) return;
    this.#due = this.#clock.now() + ms;
    this.#timer = this.#clock.setTimer(ms, () => void this.refresh());
  }
}

const sameKeys = (before: readonly VerifyingKey[], now: readonly VerifyingKey[]): boolean =>
  identity(before) === identity(now);

const identity = (keys: readonly VerifyingKey[]): string =>
  JSON.stringify(keys.map(({ id, parameters, isUnpublished }) => [id, parameters, isUnpublished]));

const longestId = 1024;

/** Why the header of a signed token cannot be used, in upstream's words. */
function headerFault(text: string, keys: readonly VerifyingKey[]): string | undefined {
  let header: Readonly<Record<string, unknown>>;
  try {
    header = JSON.parse(new TextDecoder().decode(decodeBase64Url(text)));
  } catch (error) {
    return `while parsing header JSON: ${errorMessage(error)}`;
  }
  const unknown = Object.keys(header).find((name) => !["alg", "kid", "typ"].includes(name));
  if (unknown !== undefined)
    return `while parsing header JSON: json: unknown field ${quote(unknown)}`;
  const { alg, kid, typ } = header;
  if (typ !== "JWT") return "bad type";
  if (typeof kid !== "string" || kid === "") return "key id missing";
  if (kid.length > longestId) return "key id longer than 1 kb";
  if (!["RS256", "ES256", "ES384", "ES512"].includes(String(alg)))
    return `bad signing algorithm ${quote(String(alg ?? ""))}`;
  return keys.some(({ id, isUnpublished }) => id === kid && isUnpublished)
    ? `key used for signing JWT (kid: ${kid}) is excluded from OIDC discovery docs`
    : undefined;
}
