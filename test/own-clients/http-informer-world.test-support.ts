import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { admin } from "../../src/apiserver/in-process.test-support.ts";
import type { ApiRequest, ApiResponse } from "../../src/apiserver/request/request.ts";
import type { Clock } from "../../src/base/clock.ts";
import type { Random } from "../../src/base/random.ts";
import type { InformerWorld } from "../../src/client/informer/informer-world.test-support.ts";
import {
  type Transport,
  TransportError,
  type TransportResponse,
} from "../../src/client/transport.ts";
import { restartable } from "./informer-world.test-support.ts";

/** A port at which one world after the other is served. */
export interface HttpPort {
  /** A server of its own behind the port. */
  world(): Promise<InformerWorld>;
  close(): Promise<void>;
}

/** How much faster than real time is passes there. */
const speed = 500;

/** Opens a port that speaks HTTP/1.1 without encryption. */
export async function httpPort(): Promise<HttpPort> {
  let answer: (request: ApiRequest) => Promise<ApiResponse> = refuse;
  let fault: (response: ServerResponse) => Sending = sending;
  const server = createServer((incoming, response) => {
    void respond(incoming, fault(response), (request) => answer(request));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });

  return {
    async world() {
      const clock = fastClock();
      const advance = (ms: number): Promise<void> =>
        new Promise((resolve) => clock.setTimer(ms, resolve));
      const { handle, ...servers } = await restartable(clock, advance);
      answer = (request) => (handle() ?? refuse)(request);
      return {
        ...servers,
        clock,
        advance,
        transport: httpTransport(port, agent),
        inactivityMs: 150_000,
        // A machine that is busy makes time fly.
        longestMs: 36_000_000,
        misbehave(random, faultRate) {
          fault = (response) =>
            random.next() < faultRate ? breaking(response, random) : sending(response);
        },
        async close() {
          fault = sending;
          answer = refuse;
          await servers.close();
          server.closeAllConnections();
        },
      };
    },
    async close() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Nobody is there: the connection is closed without an answer. */
const refuse = async (): Promise<ApiResponse> => {
  throw new TransportError("connection refused");
};

function fastClock(): Clock {
  const start = performance.now();
  return {
    now: () => Date.UTC(2026, 0, 1) + (performance.now() - start) * speed,
    setTimer(ms, fire) {
      const timer = setTimeout(fire, ms / speed);
      return { cancel: () => clearTimeout(timer) };
    },
  };
}

interface Sending {
  readonly response: ServerResponse;
  /** Whether more is taken now. */
  write(chunk: Uint8Array | string): boolean;
}

const sending = (response: ServerResponse): Sending => ({
  response,
  write: (chunk) => response.write(chunk),
});

/** An answer that breaks off after some bytes, in the middle of a line maybe, or goes silent. */
function breaking(response: ServerResponse, random: Random): Sending {
  let left = Math.floor(random.next() * 2000);
  const isSilent = random.next() < 0.3;
  return {
    response,
    write(chunk) {
      const bytes = Buffer.from(chunk);
      if (bytes.length <= left) {
        left -= bytes.length;
        return response.write(bytes);
      }
      if (left > 0) response.write(bytes.subarray(0, left), () => isSilent || response.destroy());
      else if (!isSilent) response.destroy();
      left = 0;
      return true;
    },
  };
}

async function respond(
  incoming: IncomingMessage,
  { response, write }: Sending,
  answer: (request: ApiRequest) => Promise<ApiResponse>,
): Promise<void> {
  const ending = new AbortController();
  response.on("close", () => ending.abort());
  const [path = "", query = ""] = (incoming.url ?? "").split("?");
  try {
    const { status, headers, body } = await answer({
      method: incoming.method ?? "GET",
      path,
      query,
      headers: { accept: incoming.headers.accept ?? "application/json" },
      body: undefined,
      peer: admin,
      remoteAddress: "127.0.0.1",
      signal: ending.signal,
    });
    response.writeHead(status, headers as Record<string, string>);
    response.flushHeaders();
    if (typeof body === "object" && "start" in body) {
      const stop = body.start({
        write,
        end: () => void response.end(),
        onDrain: (listener) => void response.on("drain", listener),
      });
      if (response.closed) stop();
      else response.on("close", stop);
      return;
    }
    if (typeof body === "string" || body instanceof Uint8Array) write(body);
    else if (body) for await (const chunk of body) write(chunk);
    response.end();
  } catch {
    response.destroy();
  }
}

/** Reads only: what informers ask for. */
function httpTransport(port: number, agent: Agent): Transport {
  return ({ method, path, query, headers, signal }) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const failed = (cause: unknown): void =>
        reject(signal?.aborted ? signal.reason : new TransportError("no answer", { cause }));
      const call = request({
        host: "127.0.0.1",
        port,
        agent,
        method,
        path: query ? `${path}?${query}` : path,
        headers: headers as Record<string, string>,
      });
      const end = (): void => void call.destroy();
      signal?.addEventListener("abort", end, { once: true });
      call.on("close", () => signal?.removeEventListener("abort", end));
      call.on("error", failed);
      call.on("response", (response) => resolve(answerOf(response, signal)));
      call.end();
    });
}

function answerOf(response: IncomingMessage, signal: AbortSignal | undefined): TransportResponse {
  // Whoever reads is told; where nobody does, it is nobody's concern.
  response.on("error", () => {});
  async function* bytes(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of response) yield chunk as Uint8Array;
    } catch (cause) {
      signal?.throwIfAborted();
      throw new TransportError("the answer broke off", { cause });
    }
  }
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    bytes,
    async value() {
      const chunks: Uint8Array[] = [];
      for await (const chunk of bytes()) chunks.push(chunk);
      return JSON.parse(Buffer.concat(chunks).toString()) as unknown;
    },
    async *values() {
      const decoder = new TextDecoder();
      let rest = "";
      for await (const chunk of bytes()) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        if (lines.length > 0) yield lines.map((line) => JSON.parse(line) as unknown);
      }
      if (rest !== "") throw new TransportError("the answer broke off in the middle of a line");
    },
  };
}
