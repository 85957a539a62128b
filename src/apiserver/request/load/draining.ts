import { StatusError } from "../../../api/meta/v1/status-error.ts";
import { type Clock, sleep } from "../../../base/clock.ts";
import type { ApiRequest, ApiResponse } from "../request.ts";
import { errorResponse, textResponse } from "../respond.ts";

export interface DrainingOptions {
  readonly clock: Clock;
  /** How long requests are still served after the server has said that it is not ready. */
  readonly shutdownDelayMs: number;
  /** Whether who comes later is told to come again, until nothing is running, instead of being cut off. */
  readonly sendRetryAfter: boolean;
  /** How long running requests are waited for. */
  readonly longestMs: number;
}

/** Lets a server come to rest: it is no longer ready, then takes no more requests, then has none. */
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

  /** Resolves when new requests are refused and, if they are told to come again, none is running. */
  async begin(): Promise<void> {
    const { clock, shutdownDelayMs, sendRetryAfter } = this.#options;
    if (this.isShuttingDown) return;
    this.#phase = "unready";
    if (shutdownDelayMs > 0) await sleep(clock, shutdownDelayMs);
    this.#phase = "refusing";
    if (sendRetryAfter) await this.#rest();
  }

  /** For a server that is closed at once. */
  end(): void {
    this.#phase = "refusing";
  }

  /** What a request is answered that comes too late; probes of health, and metrics, are still served. */
  refusal({ path, headers }: ApiRequest): ApiResponse | undefined {
    if (this.#phase !== "refusing") return undefined;
    if (servedToTheEnd.test(path)) return undefined;
    if (headers["user-agent"]?.startsWith("kube-apiserver/")) return undefined;
    return this.#options.sendRetryAfter ? comeAgain() : shuttingDown();
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

function comeAgain(): ApiResponse {
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
