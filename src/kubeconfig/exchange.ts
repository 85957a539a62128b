import type { Readable } from "node:stream";

/** A request as it goes over the wire. */
export interface WireRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Host and port. */
  readonly authority: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Uint8Array | undefined;
}

/** An answer whose head has arrived. */
export interface Exchange {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Readable;
  /** Why the body is not whole although it ended, if so: HTTP/2 can end a stream quietly. */
  readonly shortened: () => string | undefined;
  /** Gives up the rest of it; whoever reads is told why. */
  readonly abandon: (reason: Error) => void;
}

/** A connection, or several: where requests can be sent. */
export interface Sender {
  /** Throws an ExchangeError where there is no answer. */
  send(request: WireRequest, signal: AbortSignal | undefined): Promise<Exchange>;
}

/** Why there was no answer, and what that says about whether the server saw the request. */
export class ExchangeError extends Error {
  override readonly name = "ExchangeError";
  /** Whether the server has certainly not acted on it. */
  readonly notSent: boolean;
  /** Whether the connection was an old one: it may have been closed long ago. */
  readonly reused: boolean;

  constructor(
    message: string,
    {
      notSent = false,
      reused = false,
      cause,
    }: { readonly notSent?: boolean; readonly reused?: boolean; readonly cause?: unknown },
  ) {
    super(message, { cause });
    this.notSent = notSent;
    this.reused = reused;
  }
}

/** Headers by name from names and values in turn; several of one name stay several, in their order. */
export function headersOf(raw: readonly string[]): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? "").toLowerCase();
    const value = raw[i + 1] ?? "";
    if (name.startsWith(":")) continue;
    const known = Object.hasOwn(headers, name) ? headers[name] : undefined;
    if (known === undefined) headers[name] = value;
    else if (typeof known === "string") headers[name] = [known, value];
    else known.push(value);
  }
  return headers;
}
