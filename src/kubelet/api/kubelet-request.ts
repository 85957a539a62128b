import type { ByteStream } from "../../base/network.ts";

/** A call of a kubelet's API. */
export interface KubeletRequest {
  readonly method: string;
  /** Decoded, with its slash. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

export interface KubeletResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | AsyncIterable<Uint8Array> | undefined;
  /** Goes on with the connection in another protocol; resolves when it is done. */
  readonly takeOver?: ((stream: ByteStream) => Promise<void>) | undefined;
}

/** Answers calls; never throws. */
export type KubeletHandler = (request: KubeletRequest) => Promise<KubeletResponse>;

/** An answer in plain text. */
export const textResponse = (status: number, text: string): KubeletResponse => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body: text,
});

export const jsonResponse = (value: unknown): KubeletResponse => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(value),
});
