import type { ApiBody, ApiRequest, ApiResponse, Peer, StreamBody } from "../apiserver/request.ts";
import type { Transport, TransportRequest, TransportResponse } from "../client/transport.ts";
import { stringifyJson } from "../schema/strict-json.ts";

/** A transport into an API server of the same process, in the name of `peer`. */
export function inProcessTransport(
  handle: (request: ApiRequest) => Promise<ApiResponse>,
  peer: Peer,
): Transport {
  return async (request) => {
    request.signal?.throwIfAborted();
    const ending = new AbortController();
    const follow = (): void => ending.abort(request.signal?.reason);
    request.signal?.addEventListener("abort", follow, { once: true });
    const response = await handle(apiRequest(request, peer, ending));
    request.signal?.throwIfAborted();
    return transportResponse(response, ending);
  };
}

function apiRequest(
  { method, path, query, headers, body }: TransportRequest,
  peer: Peer,
  ending: AbortController,
): ApiRequest {
  const sent = typeof body === "string" || body instanceof Uint8Array ? body : undefined;
  const text = sent ?? (body === undefined ? undefined : stringifyJson(body));
  const rawHeaders: string[] = [];
  const joined: Record<string, string> = { accept: "application/json" };
  for (const [name, value] of Object.entries(headers)) {
    joined[name] = typeof value === "string" ? value : value.join(", ");
    for (const one of typeof value === "string" ? [value] : value) rawHeaders.push(name, one);
  }
  return {
    method,
    path,
    query,
    headers: joined,
    rawHeaders,
    body: typeof text === "string" ? encoder.encode(text) : text,
    peer,
    remoteAddress: "127.0.0.1",
    signal: ending.signal,
  };
}

function transportResponse(
  { status, headers, body }: ApiResponse,
  ending: AbortController,
): TransportResponse {
  const bytes = (): AsyncIterable<Uint8Array> => chunksOf(body, ending.signal);
  return {
    status,
    headers,
    bytes,
    async value() {
      let text = "";
      for await (const chunk of bytes()) text += decoder.decode(chunk);
      const isJson = String(headers["content-type"] ?? "").startsWith("application/json");
      return isJson && text !== "" ? (JSON.parse(text) as unknown) : text || undefined;
    },
    async *values() {
      let rest = "";
      for await (const chunk of bytes()) {
        const lines = (rest + decoder.decode(chunk)).split("\n");
        rest = lines.pop() ?? "";
        if (lines.length > 0) yield lines.map((line) => JSON.parse(line) as unknown);
      }
    },
  };
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const bytesOf = (chunk: Uint8Array | string): Uint8Array =>
  typeof chunk === "string" ? encoder.encode(chunk) : chunk;

function chunksOf(body: ApiBody, signal: AbortSignal): AsyncIterable<Uint8Array> {
  return typeof body === "object" && "start" in body ? live(body, signal) : fixed(body);
}

async function* fixed(body: Exclude<ApiBody, StreamBody>): AsyncGenerator<Uint8Array> {
  if (body === undefined) return;
  if (typeof body === "string" || body instanceof Uint8Array) yield bytesOf(body);
  else for await (const chunk of body) yield bytesOf(chunk);
}

/** How many chunks may wait for a client before its server is told to wait. */
const capacity = 1000;

async function* live(body: StreamBody, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let ended = false;
  let wake: () => void = () => {};
  let resume: () => void = () => {};
  const stop = body.start({
    write(chunk) {
      waiting.push(bytesOf(chunk));
      wake();
      return waiting.length < capacity;
    },
    end() {
      ended = true;
      wake();
    },
    onDrain(listener) {
      resume = listener;
    },
  });
  const abort = (): void => wake();
  signal.addEventListener("abort", abort, { once: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      const ready = waiting;
      waiting = [];
      yield* ready;
      if (ready.length > 0) resume();
      if (waiting.length > 0) continue;
      if (ended) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (signal.aborted) resolve();
      });
    }
  } finally {
    signal.removeEventListener("abort", abort);
    stop();
  }
}
