import type { IncomingMessage } from "node:http";
import { type Duplex, Readable } from "node:stream";
import { badRequest } from "./docker-error.ts";
import type { DockerResponse } from "./docker-route.ts";
import { writeFully } from "./send-response.ts";

export interface HijackedExchange {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly response: DockerResponse;
  readonly input: AsyncIterable<Uint8Array>;
}

/** Sends the headers of a taken-over connection and hands it to the response. */
export async function hijacked(exchange: HijackedExchange): Promise<void> {
  const { request, socket, response, input } = exchange;
  const gone = new AbortController();
  socket.on("close", () => gone.abort(new Error("the client disconnected")));
  const isUpgrade = request.headers.upgrade !== undefined;
  const lines = [
    isUpgrade ? "HTTP/1.1 101 UPGRADED" : "HTTP/1.1 200 OK",
    ...Object.entries(response.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    ...(isUpgrade ? ["Connection: Upgrade", "Upgrade: tcp"] : []),
  ];
  await writeFully(socket, `${lines.join("\r\n")}\r\n\r\n`);
  try {
    await response.hijack?.({
      input,
      write: (bytes) => writeFully(socket, bytes),
      signal: gone.signal,
    });
    socket.end();
  } catch (error) {
    socket.destroy();
    if (!gone.signal.aborted) throw error;
  }
}

/** The input of a client that did not ask for an upgrade: Node keeps what it sends. It ends with the connection. */
export async function* noInput(socket: Duplex): AsyncGenerator<Uint8Array> {
  if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve));
}

/** The bytes that a client sends on a connection; ends when it has sent all. */
async function* connectionInput(socket: Duplex): AsyncGenerator<Uint8Array> {
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) yield chunk as Uint8Array;
}

/**
 * Splits what follows the headers of an upgrade request into its body and the input after it. Node leaves both
 * to the caller; clients of docker send bodies of a known length.
 */
export function upgradeBody(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): { readonly body: Readable; readonly input: AsyncIterable<Uint8Array> } {
  if (request.headers["transfer-encoding"] !== undefined)
    throw badRequest("the body of an upgrade request must have a length");
  const length = Number(request.headers["content-length"] ?? 0);
  if (head.length > 0) socket.unshift(head);
  const source = connectionInput(socket);
  let rest: Uint8Array | undefined;
  async function* body(): AsyncGenerator<Uint8Array> {
    let left = length;
    while (left > 0) {
      const { value, done } = await source.next();
      if (done) return;
      if (value.length > left) rest = value.subarray(left);
      yield value.subarray(0, left);
      left -= Math.min(left, value.length);
    }
  }
  async function* input(): AsyncGenerator<Uint8Array> {
    if (rest) yield rest;
    yield* source;
  }
  return { body: Readable.from(body()), input: input() };
}
