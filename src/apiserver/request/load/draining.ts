import { StatusError } from "../../../api/meta/v1/status-error.ts";
import { type Clock, sleep } from "../../../base/clock.ts";
import type { ApiRequest, ApiResponse } from "../request.ts";
import { errorResponse, textResponse } from "../respond.ts";

export interface DrainingOptions {
  readonly clock: Clock;
  /** How long requests are still served after `/readyz` has begun to fail. */
  readonly shutdownDelayMs: number;
  /** Whether late requests get 429 with Retry-After until no request is running, instead of 503. */
  readonly sendRetryAfter: boolean;
  /** How long to wait for running requests. */
  readonly longestMs: number;
}

/** Stops a server in order: it is no longer ready, then rejects requests, then waits for running ones. */
export class Draining {
  readonly #options: DrainingOptions;
  #running = 0;
  #phase: "serving" | "unready" | "refusing" = "serving";
  #idle: (() => void) | undefined;

  constructor(options: DrainingOptions) {
    this.#options = options;
  }

  get isShuttingDown(): boolean {
    return this.#phase !== "serving";
  }

  /** Resolves when new requests are rejected and, with `sendRetryAfter`, none is running. */
  async begin(): Promise<void> {
    const { clock, shutdownDelayMs, sendRetryAfter } = this.#options;
    if (this.isShuttingDown) return;
    this.#phase = "unready";
    if (shutdownDelayMs > 0) await sleep(clock, shutdownDelayMs);
    this.#phase = "refusing";
    if (sendRetryAfter) await this.#rest();
  }

  /** Rejects requests from now on, without a delay. */
  end(): void {
    this.#phase = "refusing";
  }

  /** The response to a late request; health probes and metrics are served until the end. */
  refusal({ path, headers }: ApiRequest): ApiResponse | undefined {
    if (this.#phase !== "refusing") return undefined;
    if (servedToTheEnd.test(path)) return undefined;
    if (headers["user-agent"]?.startsWith("kube-apiserver/")) return undefined;
    return this.#options.sendRetryAfter ? retryLater() : shuttingDown();
  }

  enter(): void {
    this.#running++;
  }

  leave(): void {
    if (--this.#running === 0) this.#idle?.();
  }

  #rest(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.#options.clock.setTimer(this.#options.longestMs, resolve);
      this.#idle = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}

const servedToTheEnd = /^\/(readyz|livez|healthz|metrics)/;

function retryLater(): ApiResponse {
  const text = "The apiserver is shutting down, please try again later.\n";
  const { headers, ...response } = textResponse(429, text);
  return { ...response, headers: { ...headers, "retry-after": "5", connection: "close" } };
}

function shuttingDown(): ApiResponse {
  const error = new StatusError("ServiceUnavailable", "apiserver is shutting down");
  const { headers, ...response } = errorResponse(error, undefined);
  return {
    ...response,
    headers: { ...headers, "x-content-type-options": "nosniff", "retry-after": "1" },
  };
}
