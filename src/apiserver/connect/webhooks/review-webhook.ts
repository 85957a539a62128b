import { StatusError } from "../../../api/meta/v1/status-error.ts";
import { delays } from "../../../base/backoff.ts";
import { type Clock, DeadlineExceeded, sleep, withDeadline } from "../../../base/clock.ts";
import { errorMessage } from "../../../base/error-message.ts";
import type { DialTls, Network } from "../../../base/network.ts";
import type { Random } from "../../../base/random.ts";
import { parseGoUrl } from "../../../schema/values/go-url.ts";
import { quote } from "../../../schema/values/quote.ts";
import { KeptRequests } from "../kept-requests.ts";
import { joinPaths, type Location, requestTarget, urlOf } from "../location.ts";
import { readBodyText } from "../read-body-text.ts";
import { type ReadResponse, responseText, retryAfter } from "./webhook-response.ts";

/** A server that reviews requests, as a kubeconfig names it. */
export interface ReviewServer {
  /** Its URL, whose path is called. */
  readonly url: string;
  /** How it is verified, and our credentials; asked for each call, because both may change. */
  identity(): Promise<ReviewIdentity>;
}

export interface ReviewIdentity {
  readonly tls: DialTls;
  /** The header Authorization. */
  readonly authorization?: string | undefined;
}

export interface ReviewWebhookOptions {
  readonly server: ReviewServer;
  readonly network: Network;
  readonly clock: Clock;
  readonly random: Random;
  /** Milliseconds of a clock that only goes forward, for durations; `clock` if not given. */
  readonly ticks?: () => number;
  /** The time for one attempt; 30 s if not given. */
  readonly timeoutMs?: number;
  /** The delay before the second attempt; half a second if not given. */
  readonly retryMs?: number;
}

/** The delays between attempts, and how many attempts there are. */
const retry = { factor: 1.5, jitter: 0.2, steps: 5 };

const defaultTimeoutMs = 30_000;
const mostBytes = 16 * 2 ** 20;

/** Posts reviews to a server, which have no effect there, and retries failures that may pass. */
export class ReviewWebhook {
  readonly #options: ReviewWebhookOptions;
  readonly #kept: KeptRequests;
  readonly #closing = new AbortController();

  constructor(options: ReviewWebhookOptions) {
    this.#options = options;
    this.#kept = new KeptRequests({ ...options, onlyAsks: true });
  }

  /**
   * The JSON of the server's response to a review in JSON. Errors are upstream's; a StatusError is the server's own.
   * `onAttempt` is called after each attempt, with its error if there is one, and when it began.
   */
  async post(
    body: string,
    onAttempt: (error: unknown, begun: number) => void = () => {},
  ): Promise<string> {
    const { ticks = () => this.#options.clock.now() } = this.#options;
    const { clock, random, retryMs = 500 } = this.#options;
    const delay = delays({ ...retry, duration: retryMs }, random);
    for (let attempt = 1; ; attempt++) {
      const begun = ticks();
      try {
        const response = await this.#postOnce(body);
        onAttempt(undefined, begun);
        return response;
      } catch (error) {
        onAttempt(error, begun);
        if (attempt >= retry.steps || !mayPass(error)) throw error;
        await sleep(clock, delay(), this.#closing.signal);
      }
    }
  }

  close(): void {
    this.#closing.abort();
    this.#kept.close();
  }

  async #postOnce(body: string): Promise<string> {
    const { server, clock, timeoutMs: ms = defaultTimeoutMs } = this.#options;
    const { tls, authorization } = await server.identity();
    const location = locationOf(server.url, { tls, query: `timeout=${ms / 1000}s` });
    const headers = [
      ["Host", location.host],
      ["User-Agent", "kube-apiserver"],
      ["Accept", "application/json, */*"],
      ["Content-Type", "application/json"],
      ...(authorization === undefined ? [] : [["Authorization", authorization] as const]),
    ] as const;
    const request = {
      method: "POST",
      target: requestTarget(location),
      headers,
      body: new TextEncoder().encode(body),
    };
    const exchange = async (until: AbortSignal): Promise<ReadResponse> => {
      for (let attempt = 0; ; attempt++) {
        const response = await this.#kept.send(location, request, until);
        const { status, headers: given } = response;
        const text = await readBodyText(response.body, mostBytes);
        const read = { status, headers: given, text };
        const seconds = retryAfter(read);
        if (seconds === undefined || attempt === mostRetries) return read;
        await sleep(clock, seconds * 1000, until);
      }
    };
    const { signal } = this.#closing;
    const response = await withDeadline({ clock, ms, signal }, exchange).catch((cause: unknown) => {
      const message = cause instanceof DeadlineExceeded ? late : errorMessage(cause);
      throw new TransportError(`Post ${quote(urlOf(location))}: ${message}`);
    });
    return responseText(response);
  }
}

/** How often a server may say when it is to be called again. */
const mostRetries = 10;
const late = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";

/** The server could not be reached, or did not respond. */
class TransportError extends Error {}

/** Whether a failure may pass: the server broke the connection, or says that it is the one that failed. */
function mayPass(error: unknown): boolean {
  if (error instanceof TransportError) return /ECONNRESET|connection reset/.test(error.message);
  if (!(error instanceof StatusError)) return false;
  const { reason } = error;
  return reason === "InternalError" || reason === "Timeout" || reason === "TooManyRequests";
}

function locationOf(
  url: string,
  { tls, query }: { readonly tls: DialTls; readonly query: string },
): Location {
  const parsed = parseGoUrl(url);
  if (typeof parsed === "string") throw new Error(parsed);
  const scheme = parsed.scheme === "http" ? "http" : "https";
  return { scheme, host: parsed.host, path: joinPaths("/", parsed.path), query, tls };
}
