import { type Clock, DeadlineExceeded, withDeadline } from "../../../base/clock.ts";
import { type HeaderLines, headerOf } from "../../../base/http/http1-message.ts";
import type { Network } from "../../../base/network.ts";
import { parseGoUrl } from "../../../schema/values/go-url.ts";
import { quote } from "../../../schema/values/quote.ts";
import { KeptRequests } from "../../connect/kept-requests.ts";
import type { Location } from "../../connect/location.ts";
import { readBodyText } from "../../connect/read-body-text.ts";

/** A response of an issuer, read to its end. */
export interface IssuerResponse {
  readonly code: number;
  /** The code with its phrase. */
  readonly status: string;
  readonly headers: HeaderLines;
  readonly text: string;
}

/** The time for a request and all its redirects, and for reading the response. */
const timeoutMs = 30_000;
const late = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
const mostRedirects = 10;
/** Key sets and tokens are much smaller. */
const mostBytes = 2 ** 20;

/** Requests documents of an issuer, verifying its server by certificates of its own, or those of the machine. */
export class IssuerRequests {
  readonly #kept: KeptRequests;
  readonly #clock: Clock;
  readonly #ca: string | undefined;
  readonly #closing = new AbortController();

  constructor(
    { network, clock }: { readonly network: Network; readonly clock: Clock },
    authority: string | undefined,
  ) {
    this.#clock = clock;
    this.#kept = new KeptRequests({ network, clock });
    this.#ca = authority || undefined;
  }

  /** The document at a URL. Errors are Go's. */
  async get(url: string, authorization?: string): Promise<IssuerResponse> {
    const { signal } = this.#closing;
    try {
      return await withDeadline({ clock: this.#clock, ms: timeoutMs, signal }, (until) =>
        this.#follow(url, authorization, until),
      );
    } catch (cause) {
      const why = cause instanceof DeadlineExceeded ? new Error(late) : cause;
      throw new Error(`Get ${quote(url)}`, { cause: why });
    }
  }

  close(): void {
    this.#closing.abort();
    this.#kept.close();
  }

  async #follow(
    first: string,
    authorization: string | undefined,
    until: AbortSignal,
  ): Promise<IssuerResponse> {
    let url = first;
    for (let redirects = 0; ; redirects++) {
      // A credential is for the server that the URL names, and not for where that redirects to.
      const isSameServer = new URL(url).origin === new URL(first).origin;
      const response = await this.#getOnce(url, isSameServer ? authorization : undefined, until);
      const location = headerOf(response.headers, "location");
      if (![301, 302, 303, 307, 308].includes(response.code) || !location) return response;
      if (redirects === mostRedirects) throw new Error(`stopped after ${mostRedirects} redirects`);
      url = new URL(location, url).href;
    }
  }

  async #getOnce(
    url: string,
    authorization: string | undefined,
    until: AbortSignal,
  ): Promise<IssuerResponse> {
    const location = locationOf(url, this.#ca);
    const headers = [
      ["Host", location.host],
      ["User-Agent", "Go-http-client/1.1"],
      ...(authorization === undefined ? [] : [["Authorization", authorization] as const]),
    ] as const;
    const request = { method: "GET", target: targetOf(url), headers };
    const response = await this.#kept.send(location, request, until);
    const { status, reason } = response;
    return {
      code: status,
      status: `${status} ${reason}`,
      headers: response.headers,
      text: await readBodyText(response.body, mostBytes),
    };
  }
}

/** Documents decide about who callers are, so that they must come from a server that was verified. */
function locationOf(url: string, ca: string | undefined): Location {
  const parsed = parseGoUrl(url);
  if (typeof parsed === "string") throw new Error(parsed);
  if (parsed.scheme !== "https" || parsed.host === "")
    throw new Error(`unsupported protocol scheme ${quote(parsed.scheme)}`);
  const { host, path, query } = parsed;
  return { scheme: "https", host, path, query, tls: ca === undefined ? {} : { ca } };
}

/** The path and query as they are written: an escaped slash stays escaped. */
function targetOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
