import type { ByteStream } from "../../base/network.ts";
import { stringifyJson } from "../../schema/json/strict-json.ts";

/** A request to a kubelet's API. */
export interface KubeletRequest {
  readonly method: string;
  /** Decoded, with its leading slash. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
}

export interface KubeletResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array> | undefined;
  /** Takes over the connection for another protocol; resolves when it is done. */
  readonly takeOver?: ((stream: ByteStream) => Promise<void>) | undefined;
}

/** Handles requests; never throws. */
export type KubeletHandler = (request: KubeletRequest) => Promise<KubeletResponse>;

/** A plain text response. */
export const textResponse = (status: number, text: string): KubeletResponse => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body: text,
});

/** An error as Go's HTTP server writes it. */
export const httpError = (status: number, text: string): KubeletResponse => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
  body: `${text}\n`,
});

export const jsonResponse = (value: unknown): KubeletResponse => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: stringifyJson(value),
});
