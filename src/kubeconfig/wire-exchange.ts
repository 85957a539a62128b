import type { Readable } from "node:stream";

/** A request as it is sent. */
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

/** A response whose head has arrived. */
export interface Exchange {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Readable;
  /** The error of a body that ended early: HTTP/2 can end a stream without one. */
  readonly shortened: () => string | undefined;
  /** Aborts the rest of the body; its reader gets the reason. */
  readonly abandon: (reason: Error) => void;
}

/** Sends requests, over one connection or several. */
export interface Sender {
  /** Throws an ExchangeError if there is no response. */
  send(request: WireRequest, signal: AbortSignal | undefined): Promise<Exchange>;
}

/** A request without a response, and whether the server may have seen it. */
export class ExchangeError extends Error {
  override readonly name = "ExchangeError";
  /** Whether the server has certainly not processed it. */
  readonly notSent: boolean;
  /** Whether the connection was reused: the server may have closed it while it was idle. */
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

/** Headers from alternating names and values; repeated ones keep all their values, in order. */
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
