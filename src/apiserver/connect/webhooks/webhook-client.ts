import { type Clock, DeadlineExceeded, sleep, withDeadline } from "../../../base/clock.ts";
import { type HeaderLines, headerOf } from "../../../base/http/http1-message.ts";
import type { DialTarget, Network } from "../../../base/network.ts";
import { onAbort } from "../../../base/on-abort.ts";
import type { Random } from "../../../base/random.ts";
import { quote } from "../../../schema/values/quote.ts";
import type { Reader } from "../../objects/reader.ts";
import { serviceAddress, type ToEndpoints } from "../cluster-service.ts";
import type { Egress } from "../egress.ts";
import { sendRequest } from "../http-client.ts";
import { KeptConnection, KeptConnections } from "../kept-connections.ts";
import { type Location, requestTarget, targetOf, urlOf } from "../location.ts";
import { readBodyText } from "../read-body-text.ts";
import { messageOf } from "../upgrade.ts";
import type { WebhookLocation } from "./webhook-location.ts";
import { type ReadResponse, responseText, retryAfter } from "./webhook-response.ts";

/** A call of a webhook. */
export interface WebhookCall {
  readonly webhook: WebhookLocation;
  /** JSON. */
  readonly body: string;
  /** The time for all of it, which the webhook is told. */
  readonly timeoutMs: number;
  /** Ends the call earlier. */
  readonly signal?: AbortSignal | undefined;
  /** The most bytes that the response may have; 16 MiB if not given. */
  readonly largestResponse?: number;
}

export interface WebhookClientOptions {
  readonly egress: Egress;
  readonly clock: Clock;
  readonly random: Random;
  /** Where services and their endpoints are looked up. */
  readonly reader: Pick<Reader, "getCached" | "listCached">;
  /** Whether to connect to endpoints of services; false if not given. */
  readonly toEndpoints?: ToEndpoints;
}

/**
 * Calls webhooks: posts JSON and returns the JSON of the response, through connections that are kept for further
 * calls. A redirect is an error: following it would let a webhook send requests of this server anywhere.
 */
export class WebhookClient {
  readonly #options: WebhookClientOptions;
  readonly #kept: KeptConnections;

  constructor(options: WebhookClientOptions) {
    this.#options = options;
    this.#kept = new KeptConnections(options.clock);
  }

  /** The JSON that a webhook responds with. Errors are upstream's; a StatusError is the webhook's own. */
  async post(call: WebhookCall): Promise<string> {
    const { webhook, timeoutMs: ms, signal } = call;
    const query = `timeout=${Math.ceil(ms / 1000)}s`;
    const location = { ...webhook.location, query };
    let isReading = false;
    const respond = async (until: AbortSignal): Promise<ReadResponse> => {
      for (let attempt = 0; ; attempt++) {
        isReading = false;
        const response = await this.#exchange(call, location, {
          until,
          onHead() {
            isReading = true;
          },
        });
        const seconds = retryAfter(response);
        if (seconds === undefined || attempt === mostRetries) return response;
        isReading = false;
        await sleep(this.#options.clock, seconds * 1000, until);
      }
    };
    const response = await withDeadline({ clock: this.#options.clock, ms, signal }, respond).catch(
      (cause: unknown) => {
        const message = faultOf(cause, signal);
        const where = isReading ? unreadable : `Post ${quote(urlOf(location))}:`;
        throw new Error(`${where} ${message}`, { cause });
      },
    );
    return responseText(response);
  }

  /** Closes the connections that wait for further calls. */
  close(): void {
    this.#kept.close();
  }

  /** Sends the request once, and reads the response to its end. */
  async #exchange(
    { webhook, body, largestResponse = defaultLargest }: WebhookCall,
    location: Location,
    { until, onHead }: { readonly until: AbortSignal; readonly onHead: () => void },
  ): Promise<ReadResponse> {
    const target = this.#target(webhook);
    const key = JSON.stringify(target);
    const connection =
      this.#kept.take(key) ?? new KeptConnection(await this.#network(webhook).dial(target, until));
    const unfollow = onAbort(until, () => connection.destroy());
    const headers = [
      ["Host", location.host],
      ["User-Agent", "kube-apiserver-admission"],
      ["Accept", "application/json, */*"],
      ["Content-Type", "application/json"],
    ] as const;
    try {
      const response = await sendRequest(
        connection,
        {
          method: "POST",
          target: requestTarget(location),
          headers,
          body: new TextEncoder().encode(body),
        },
        (_, head) => {
          unfollow();
          this.#kept.keep(key, connection, keptFor(head.headers));
        },
      );
      onHead();
      const { status, headers: given } = response;
      return { status, headers: given, text: await readBodyText(response.body, largestResponse) };
    } finally {
      unfollow();
    }
  }

  /** Services are in the cluster; all else is reached as the control plane is. */
  #network({ location, service }: WebhookLocation): Network {
    const { direct, cluster, controlPlane } = this.#options.egress;
    if (!service)
      return /^kubernetes\.default\.svc(:443)?$/.test(location.host) ? direct : controlPlane;
    const { namespace, name, port } = service;
    return namespace === "default" && name === "kubernetes" && port === 443 ? direct : cluster;
  }

  #target({ location, service }: WebhookLocation): DialTarget {
    const target = targetOf(location);
    if (!service) return target;
    const { reader, random, toEndpoints = false } = this.#options;
    return { ...target, ...serviceAddress(reader, service, { toEndpoints, random }) };
  }
}

const mostRetries = 10;
const defaultLargest = 16 * 2 ** 20;

/** How long a connection waits for its next request: less than the server waits, if it says so. */
function keptFor(headers: HeaderLines): number {
  const [, seconds] = /(?:^|,)\s*timeout=(\d+)/i.exec(headerOf(headers, "keep-alive") ?? "") ?? [];
  const longest = 60_000;
  return seconds === undefined ? longest : Math.min(longest, (Number(seconds) - 1) * 1000);
}

const unreadable = "unexpected error when reading response body. Please retry. Original error:";

function faultOf(cause: unknown, signal: AbortSignal | undefined): string {
  if (cause instanceof DeadlineExceeded) return "context deadline exceeded";
  return signal?.aborted ? "context canceled" : messageOf(cause);
}
