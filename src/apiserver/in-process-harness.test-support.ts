import type { VirtualClock } from "../base/virtual-clock.ts";
import { encodeAnyJson } from "../schema/json/json.ts";
import type { Store } from "../store/store.ts";
import { admin, openServer } from "./in-process.test-support.ts";
import type { ApiObject } from "./objects/object.ts";
import type { ApiBody, ApiResponse, StreamBody } from "./request/request.ts";
import type { ApiServer } from "./server.ts";
import type { Harness, WireAnswer, WireRequest } from "./suite/harness-suite.ts";

/**
 * A server on a store, reached by calls of functions alone: with bytes, or where there would be JSON with
 * the values that it stands for.
 */
export async function inProcessHarness(
  store: Store,
  clock: VirtualClock,
  { wantsValues = false } = {},
): Promise<Harness> {
  const server = await openServer(clock, store);
  return {
    store,
    clock,
    send: (request) => send(server, request, wantsValues),
    async close() {
      server.close();
      await store.close();
    },
  };
}

async function send(
  server: ApiServer,
  request: WireRequest,
  wantsValues: boolean,
): Promise<WireAnswer> {
  const { method, headers, body, anonymous } = request;
  const [path = "", ...query] = request.path.split("?");
  const response = await server.handle({
    method,
    path,
    query: query.join("?"),
    headers,
    ...(wantsValues ? asValue(headers, body) : { body }),
    wantsValues,
    peer: anonymous ? undefined : admin,
    remoteAddress: "127.0.0.1",
    signal: new AbortController().signal,
  });
  return { status: response.status, headers: joined(response), chunks: chunksOf(asBody(response)) };
}

/** A body as a value, where it is nothing but the JSON of one. */
function asValue(headers: WireRequest["headers"], body: Uint8Array | undefined) {
  const text = body && new TextDecoder().decode(body);
  const isJson = /json|apply-patch|^$/.test(headers["content-type"] ?? "");
  if (!text || !isJson) return { body };
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? { body: undefined, value } : { body };
  } catch {
    return { body };
  }
}

/** A value as the text that would have been sent. */
function asBody({ body, value, values }: ApiResponse): ApiBody {
  const line = (each: object): string => `${encodeAnyJson(each)}\n`;
  if (value) return line(withoutKinds(value));
  if (!values) return body;
  return {
    start: (sink) => values.start({ ...sink, write: (event) => sink.write(line(event)) }),
  };
}

/** In text, the items of lists do not say of which kind they are, but for metadata alone. */
function withoutKinds(value: { kind?: string; items?: readonly ApiObject[] }): object {
  if (!value.items || value.kind === "PartialObjectMetadataList") return value;
  const items = value.items.map(({ kind: _, apiVersion: __, ...item }) => item);
  return { ...value, items };
}

const joined = ({ headers }: ApiResponse): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === "string" ? value : value.join(", "),
    ]),
  );

const encoder = new TextEncoder();
const bytesOf = (chunk: Uint8Array | string): Uint8Array =>
  typeof chunk === "string" ? encoder.encode(chunk) : chunk;

function chunksOf(body: ApiBody): AsyncIterable<Uint8Array> {
  return typeof body === "object" && "start" in body ? live(body) : fixed(body);
}

async function* fixed(body: Exclude<ApiBody, StreamBody>): AsyncGenerator<Uint8Array> {
  if (body === undefined) return;
  if (typeof body === "string" || body instanceof Uint8Array) yield bytesOf(body);
  else for await (const chunk of body) yield bytesOf(chunk);
}

/** How many chunks may wait for a client before its server is told to wait. */
const capacity = 16;

/** Starts at once, as a socket would; whoever stops asking for chunks stops it. */
function live(body: StreamBody): AsyncIterable<Uint8Array> {
  const waiting: Uint8Array[] = [];
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
  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = waiting.shift();
        if (chunk) yield chunk;
        else if (ended) return;
        else {
          const more = new Promise<void>((resolve) => {
            wake = resolve;
          });
          resume();
          if (waiting.length === 0 && !ended) await more;
        }
      }
    } finally {
      stop();
    }
  }
  return read();
}
