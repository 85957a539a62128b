import type { VirtualClock } from "../base/virtual-clock.ts";
import type { Store } from "../store/store.ts";
import { admin, openServer } from "./in-process.test-support.ts";
import type { ApiBody, ApiResponse, StreamBody } from "./request.ts";
import type { ApiServer } from "./server.ts";
import type { Harness, WireAnswer, WireRequest } from "./suite/harness-suite.ts";

/** A server on a store, reached by calls of functions alone. */
export async function inProcessHarness(store: Store, clock: VirtualClock): Promise<Harness> {
  const server = await openServer(clock, store);
  return {
    store,
    clock,
    send: (request) => send(server, request),
    async close() {
      server.close();
      await store.close();
    },
  };
}

async function send(server: ApiServer, request: WireRequest): Promise<WireAnswer> {
  const { method, headers, body, anonymous } = request;
  const [path = "", ...query] = request.path.split("?");
  const response = await server.handle({
    method,
    path,
    query: query.join("?"),
    headers,
    body,
    peer: anonymous ? undefined : admin,
    remoteAddress: "127.0.0.1",
    signal: new AbortController().signal,
  });
  return { status: response.status, headers: joined(response), chunks: chunksOf(response.body) };
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
