import { type Clock, DeadlineExceeded, withDeadline } from "../../base/clock.ts";
import { headerOf } from "../../base/http/http1-message.ts";
import { hostPort, type Network } from "../../base/network.ts";
import { onAbort } from "../../base/on-abort.ts";
import { type HttpRequest, type HttpResponse, sendRequest } from "./http-client.ts";
import { KeptConnection, KeptConnections } from "./kept-connections.ts";
import { type Location, targetOf } from "./location.ts";

export interface KeptRequestsOptions {
  readonly network: Network;
  readonly clock: Clock;
  /** Whether requests only ask, so that one is sent again where a kept connection turns out to be closed. */
  readonly onlyAsks?: boolean;
}

/** Sends requests through connections that are kept for further ones. */
export class KeptRequests {
  readonly #options: KeptRequestsOptions;
  readonly #kept: KeptConnections;

  constructor(options: KeptRequestsOptions) {
    this.#options = options;
    this.#kept = new KeptConnections(options.clock);
  }

  /** Sends a request to a location; the signal ends it, and the response with it. */
  async send(location: Location, request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    const key = JSON.stringify(targetOf(location));
    const kept = this.#kept.take(key);
    if (kept) {
      try {
        return await this.#exchange(key, { connection: kept, request, signal });
      } catch (error) {
        // The server may have closed the connection just then. What may have had an effect is not sent twice.
        if (signal.aborted || !this.#isRepeatable(request)) throw error;
      }
    }
    const connection = new KeptConnection(await this.#dial(location, signal));
    return this.#exchange(key, { connection, request, signal });
  }

  /** Closes the connections that wait for further requests. */
  close(): void {
    this.#kept.close();
  }

  #isRepeatable({ method, body }: HttpRequest): boolean {
    if (this.#options.onlyAsks) return true;
    return body === undefined && ["GET", "HEAD", "OPTIONS"].includes(method);
  }

  async #dial(location: Location, signal: AbortSignal) {
    const { network, clock } = this.#options;
    const target = targetOf(location);
    return withDeadline({ clock, ms: dialTimeout, signal }, (until) =>
      network.dial(target, until),
    ).catch((cause: unknown) => {
      if (!(cause instanceof DeadlineExceeded)) throw cause;
      throw new Error(`dial tcp ${hostPort(target.host, target.port)}: i/o timeout`, { cause });
    });
  }

  async #exchange(
    key: string,
    {
      connection,
      request,
      signal,
    }: {
      readonly connection: KeptConnection;
      readonly request: HttpRequest;
      readonly signal: AbortSignal;
    },
  ): Promise<HttpResponse> {
    const unfollow = onAbort(signal, () => connection.destroy());
    try {
      return await sendRequest(connection, request, (_, { headers }) => {
        unfollow();
        this.#kept.keep(key, connection, keptFor(headerOf(headers, "keep-alive")));
      });
    } catch (error) {
      unfollow();
      throw error;
    }
  }
}

const dialTimeout = 30_000;

/** How long a connection waits for its next request: less than the server waits, if it says so. */
function keptFor(header = ""): number {
  const [, seconds] = /(?:^|,)\s*timeout=(\d+)/i.exec(header) ?? [];
  const longest = 60_000;
  return seconds === undefined ? longest : Math.min(longest, (Number(seconds) - 1) * 1000);
}
