import type { Clock } from "../../base/clock.ts";
import { RuntimeError } from "../../cri/runtime-service.ts";

export interface RequestCacheOptions {
  readonly clock: Clock;
  /** A new token that cannot be guessed. */
  readonly token: () => string;
}

/** Requests to stream that wait for their client: a token finds its request once, within a minute. */
export class RequestCache<Request> {
  readonly #clock: Clock;
  readonly #token: () => string;
  /** In the order in which they expire. */
  readonly #requests = new Map<string, { readonly request: Request; readonly until: number }>();

  constructor({ clock, token }: RequestCacheOptions) {
    this.#clock = clock;
    this.#token = token;
  }

  /** Keeps a request; returns its token. */
  insert(request: Request): string {
    this.#expire();
    if (this.#requests.size >= mostRequests)
      throw new RuntimeError("ResourceExhausted", "maximum number of in-flight requests exceeded");
    const token = this.#token();
    this.#requests.set(token, { request, until: this.#clock.now() + lifetime });
    return token;
  }

  /** The request of a token, which is invalid from then on. */
  consume(token: string): Request | undefined {
    const entry = this.#requests.get(token);
    this.#requests.delete(token);
    return entry && entry.until >= this.#clock.now() ? entry.request : undefined;
  }

  #expire(): void {
    const now = this.#clock.now();
    for (const [token, { until }] of this.#requests) {
      if (until >= now) return;
      this.#requests.delete(token);
    }
  }
}

const mostRequests = 1000;
const lifetime = 60_000;
