import type { IncomingMessage, ServerResponse } from "node:http";
import {
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { AnswerStream, GivenAnswer, SeenCall } from "../client/suite/transport-suite.ts";
import { selfSigned } from "../platform/real-network.test-support.ts";

/** A TLS server with this handler. */
export interface TestServer {
  readonly url: string;
  readonly port: number;
  readonly ca: string;
  /** How many connections were opened so far. */
  connections(): number;
  /** How many are open, including those before the TLS handshake. */
  open(): Promise<number>;
  /** The open HTTP/2 sessions. */
  readonly sessions: ReadonlySet<ServerHttp2Session>;
  close(): Promise<void>;
}

/** Starts a server on a free port of 127.0.0.1, with HTTP/2 and HTTP/1.1. */
export async function testServer(answer: (call: SeenCall) => GivenAnswer): Promise<TestServer> {
  const { cert, key } = selfSigned();
  const sockets = new Set<Socket>();
  const sessions = new Set<ServerHttp2Session>();
  let connections = 0;
  const server = createSecureServer({
    cert,
    key,
    allowHTTP1: true,
    settings: { maxConcurrentStreams: 100 },
  });
  server.on("request", (request, response) => void respond(request, response, answer));
  server.on("secureConnection", (socket: Socket) => {
    connections++;
    sockets.add(socket.on("close", () => sockets.delete(socket)).on("error", () => {}));
  });
  server.on("session", (session) => {
    sessions.add(session.on("close", () => sessions.delete(session)).on("error", () => {}));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    ca: cert,
    connections: () => connections,
    open: () => new Promise((resolve) => server.getConnections((_, count) => resolve(count))),
    sessions,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const session of sessions) session.destroy();
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function respond(
  request: IncomingMessage | Http2ServerRequest,
  response: ServerResponse | Http2ServerResponse,
  answer: (call: SeenCall) => GivenAnswer,
): Promise<void> {
  let sent = "";
  request.setEncoding("utf8");
  for await (const chunk of request) sent += chunk as string;
  const [path = "", query = ""] = (request.url ?? "").split(/\?(.*)/s);
  const {
    status = 200,
    headers = {},
    body = "",
  } = answer({
    method: request.method ?? "",
    path,
    query,
    headers: request.headers,
    body: sent,
  });
  response.statusCode = status;
  response.setHeader("content-type", "application/json");
  for (const [name, value] of Object.entries(headers))
    response.setHeader(name, typeof value === "string" ? value : [...value]);
  if (typeof body === "string") {
    response.end(body);
    return;
  }
  // The two kinds of responses have the same methods, with types that cannot be joined.
  body(answerStream(response as ServerResponse));
}

function answerStream(response: ServerResponse): AnswerStream {
  response.on("error", () => {});
  return {
    write: (chunk) => response.write(chunk),
    end: () => void response.end(),
    breakOff() {
      const session = (response as unknown as Http2ServerResponse).stream?.session;
      if (session) session.destroy();
      else response.socket?.destroy();
    },
    onDrain: (listener) => void response.on("drain", listener),
    onClose: (listener) => void response.on("close", listener),
  };
}
