import { setMaxListeners } from "node:events";
import type { ApiBody, ApiRequest, ApiResponse, Peer, StreamBody } from "../apiserver/request.ts";
import { over } from "../base/over.ts";
import { parseJsonText } from "../client/json-text.ts";
import {
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from "../client/transport.ts";
import { stringifyJson } from "../schema/strict-json.ts";

/**
 * A transport into an API server of the same process, in the name of `peer`. Objects are handed over as
 * they are, both ways: what is answered is frozen and shared with the server; what is sent is copied
 * there. What is no JSON, such as logs and health, comes as text and bytes.
 */
export function inProcessTransport(
  handle: (request: ApiRequest) => Promise<ApiResponse>,
  peer: Peer,
): Transport {
  return async (request) => {
    request.signal?.throwIfAborted();
    const call = new Call(request.signal);
    const response = await call.unlessEnded(handle(apiRequest(request, peer, call)));
    if (isWhole(response)) call.release();
    return transportResponse(response, call);
  };
}

/** Whether there is nothing to wait for in an answer. */
const isWhole = ({ value, values, body }: ApiResponse): boolean =>
  value !== undefined ||
  (!values && (typeof body !== "object" || body instanceof Uint8Array || Array.isArray(body)));

/** A call under way: it ends with the signal of whoever made it, or when its answer is not read on. */
class Call {
  readonly #caller: AbortSignal | undefined;
  readonly #ending = new AbortController();
  #giveUp: ((reason: unknown) => void) | undefined;
  readonly #follow = (): void => {
    this.#ending.abort(this.#caller?.reason);
    this.#giveUp?.(this.#caller?.reason);
  };

  constructor(caller: AbortSignal | undefined) {
    this.#caller = caller;
    if (!caller) return;
    // Many calls may end with one signal.
    setMaxListeners(0, caller);
    caller.addEventListener("abort", this.#follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** Does not listen to its caller any more. */
  release(): void {
    this.#caller?.removeEventListener("abort", this.#follow);
  }

  end(): void {
    this.release();
    this.#ending.abort(over);
  }

  /** The answer, or the reason for which the caller ends the call first. */
  unlessEnded<T>(work: Promise<T>): Promise<T> {
    const caller = this.#caller;
    if (!caller) return work;
    return new Promise((resolve, reject) => {
      this.#giveUp = reject;
      // It may have ended while the work was begun.
      if (caller.aborted) reject(caller.reason);
      work.then(resolve, reject);
    });
  }
}

function apiRequest(
  { method, path, query, headers, body }: TransportRequest,
  peer: Peer,
  call: Call,
): ApiRequest {
  const joined: Record<string, string> = { accept: "application/json" };
  let rawHeaders: string[] | undefined;
  for (const [name, value] of Object.entries(headers)) {
    joined[name] = typeof value === "string" ? value : value.join(", ");
    if (typeof value !== "string") rawHeaders ??= rawHeadersOf(headers);
  }
  if (body !== undefined) joined["content-type"] ??= "application/json";
  const isSent = typeof body === "string" || body instanceof Uint8Array;
  return {
    method,
    path,
    query,
    headers: joined,
    rawHeaders,
    body: isSent ? bytesOf(body) : undefined,
    ...(!isSent && body !== undefined && { value: body }),
    wantsValues: true,
    peer,
    remoteAddress: "127.0.0.1",
    signal: call.signal,
    abort: () => call.end(),
  };
}

const rawHeadersOf = (headers: TransportRequest["headers"]): string[] =>
  Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" ? [name, value] : value.flatMap((one) => [name, one]),
  );

function transportResponse(response: ApiResponse, call: Call): TransportResponse {
  const { status, headers } = response;
  return {
    status,
    headers,
    bytes: () => bytesIn(response, call),
    async value() {
      if (response.value !== undefined) return response.value;
      let text = "";
      const decoder = new TextDecoder();
      for await (const chunk of bytesIn(response, call))
        text += decoder.decode(chunk, { stream: true });
      const isJson = String(headers["content-type"] ?? "").startsWith("application/json");
      return isJson && text !== "" ? parseJsonText(text) : text || undefined;
    },
    values: () => valuesIn(response, call),
  };
}

/** The values of a stream; those of one that somebody else has written, line by line. */
async function* valuesIn(response: ApiResponse, call: Call): AsyncGenerator<readonly unknown[]> {
  if (response.values) {
    yield* live(response.values, call);
    return;
  }
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of bytesIn(response, call)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    const values = lines.filter((line) => line !== "").map(parseJsonText);
    if (values.length > 0) yield values;
  }
  if (rest.trim() !== "") yield [lastValue(rest)];
}

/** A last line needs no end; half of one says that the stream broke. */
function lastValue(line: string): unknown {
  try {
    return parseJsonText(line);
  } catch (cause) {
    throw new TransportError("unexpected EOF", { cause });
  }
}

async function* bytesIn(response: ApiResponse, call: Call): AsyncGenerator<Uint8Array> {
  const { body, value, values } = response;
  if (value !== undefined) yield bytesOf(`${stringifyJson(value)}\n`);
  else if (values)
    for await (const events of live(values, call))
      yield bytesOf(events.map((event) => `${stringifyJson(event)}\n`).join(""));
  else if (isStream(body)) for await (const chunks of live(body, call)) yield* chunks.map(bytesOf);
  else if (typeof body === "string" || body instanceof Uint8Array) yield bytesOf(body);
  else if (body !== undefined) yield* passedOn(body, call);
}

/** What somebody else sends, for as long as it is read. */
async function* passedOn(
  body: Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>,
  call: Call,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) {
      call.signal.throwIfAborted();
      yield bytesOf(chunk);
    }
  } finally {
    call.end();
  }
}

const isStream = (body: ApiBody): body is StreamBody => typeof body === "object" && "start" in body;

const encoder = new TextEncoder();
const bytesOf = (chunk: Uint8Array | string): Uint8Array =>
  typeof chunk === "string" ? encoder.encode(chunk) : chunk;

/** How many chunks may wait for a client before its server is told to wait. */
const capacity = 1000;

/** What a stream writes, as much at a time as has been written; whoever stops asking stops it. */
async function* live<Chunk>(body: StreamBody<Chunk>, call: Call): AsyncGenerator<readonly Chunk[]> {
  const { signal } = call;
  let waiting: Chunk[] = [];
  let ended = false;
  let wake: () => void = () => {};
  let resume: () => void = () => {};
  const stop = body.start({
    write(chunk) {
      waiting.push(chunk);
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
      if (ready.length > 0) {
        yield ready;
        resume();
      }
      if (waiting.length > 0) continue;
      if (ended) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (signal.aborted || waiting.length > 0) resolve();
      });
    }
  } finally {
    call.end();
    stop();
  }
}
