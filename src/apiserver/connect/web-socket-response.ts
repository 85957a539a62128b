import { encodeBase64 } from "../../base/base64.ts";
import { sha1 } from "../../base/cryptography/sha1.ts";
import type { ApiRequest, ApiResponse, StreamBody } from "../request/request.ts";
import { type Patience, WebSocket } from "./web-socket.ts";
import { protocolsIn, withoutBearer } from "./web-socket-token.ts";

/** The source of messages: a stream of them, or pieces of one. */
export type MessageSource = StreamBody | AsyncIterable<Uint8Array>;

/** How messages are sent. */
export interface MessageForm {
  /** The protocol that was chosen; empty where the client named none. */
  readonly protocol: string;
  /** Whether messages are text, in UTF-8. */
  readonly isText: boolean;
  /** Makes a message of a chunk of the stream. */
  message(chunk: Uint8Array | string): Uint8Array;
  /** Whether an empty message comes first. */
  readonly startsEmpty?: boolean;
}

/** What a WebSocket response needs. */
export interface WebSocketOptions {
  /** Chooses by the client's protocols; where none is acceptable, the status of the rejection. */
  chooseForm(protocols: readonly string[]): MessageForm | number;
  /** Whether the request must have an Origin header, as those of web pages. */
  readonly needsOrigin?: boolean;
  readonly patience: Patience;
}

/** Upgrades a request to a WebSocket on which the source is sent. */
export function webSocketResponse(
  { headers }: ApiRequest,
  source: MessageSource,
  { chooseForm, needsOrigin = false, patience }: WebSocketOptions,
): ApiResponse {
  const key = headers["sec-websocket-key"] ?? "";
  if (key === "") return refused(400, "mismatch challenge/response");
  if (headers["sec-websocket-version"] !== "13")
    return refused(400, "missing or bad WebSocket Version", { "sec-websocket-version": "13" });
  if (needsOrigin && !/^([a-z][a-z\d+.-]*:|\/)/i.test(headers.origin ?? ""))
    return refused(403, "");
  const wanted = protocolsIn(withoutBearer(headers["sec-websocket-protocol"] ?? ""));
  const chosen = chooseForm(wanted);
  if (typeof chosen === "number") return refused(chosen, "");
  return {
    status: 101,
    headers: {
      upgrade: "websocket",
      connection: "Upgrade",
      "sec-websocket-accept": acceptKey(key),
      ...(chosen.protocol !== "" && { "sec-websocket-protocol": chosen.protocol }),
    },
    body: undefined,
    takeOver: (client) => sendAll(new WebSocket(client, patience), source, chosen),
  };
}

/** The server's key of the handshake (RFC 6455). */
const acceptKey = (key: string): string =>
  encodeBase64(sha1(new TextEncoder().encode(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)));

const refused = (status: number, body: string, headers = {}): ApiResponse => ({
  status,
  headers,
  body,
});

/** Sends messages until the source ends or the client goes away. */
async function sendAll(socket: WebSocket, source: MessageSource, form: MessageForm): Promise<void> {
  const { isText, message, startsEmpty = false } = form;
  const send = (chunk: Uint8Array | string) => socket.send(message(chunk), isText);
  if (startsEmpty) await send("");
  if ("start" in source) await sendStream(socket, source, send);
  else await sendPieces(socket, source, send);
  await socket.close();
}

type Send = (chunk: Uint8Array | string) => Promise<void>;

function sendStream(socket: WebSocket, source: StreamBody, send: Send): Promise<void> {
  return new Promise((resolve) => {
    let resume = (): void => {};
    const stop = source.start({
      write(chunk) {
        send(chunk).then(
          () => resume(),
          () => {},
        );
        return false;
      },
      end: resolve,
      onDrain(listener) {
        resume = listener;
      },
    });
    void socket.closed.then(() => {
      stop();
      resolve();
    });
  });
}

async function sendPieces(
  socket: WebSocket,
  source: AsyncIterable<Uint8Array>,
  send: Send,
): Promise<void> {
  const iterator = source[Symbol.asyncIterator]();
  const gone = socket.closed.then(() => ({ done: true, value: undefined }) as const);
  try {
    for (;;) {
      const { done, value } = await Promise.race([iterator.next(), gone]);
      if (done) break;
      await send(value);
    }
  } catch {
    // Sending fails only when the client has gone.
  }
}
