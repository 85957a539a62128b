import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";
import { onTestFinished } from "vitest";
import { selfSigned } from "../../../platform/pki/self-signed.ts";

/** A server of a test, which ends with it. */
export interface RawServer {
  readonly port: number;
  /** The requests that were received, up to their empty lines. */
  readonly requests: readonly string[];
  /** How many connections are open. */
  open(): number;
}

/** Answers a request on a connection: with these bytes and the end, or as the function does. */
export type RawAnswer = string | ((socket: Socket, request: string) => void);

export interface RawServerOptions {
  readonly address?: string;
  readonly tls?: boolean;
  /** Answers the handshake of TLS as a request, as servers without TLS do. */
  readonly answersTls?: boolean;
}

/** Serves connections on loopback, byte by byte. */
export async function rawServer(
  answer: RawAnswer,
  { address = "127.0.0.1", tls = false, answersTls = false }: RawServerOptions = {},
): Promise<RawServer> {
  const requests: string[] = [];
  const serve = (socket: Socket): void => {
    let request = "";
    socket.on("error", () => {});
    socket.on("data", (bytes: Buffer) => {
      request += bytes.toString("latin1");
      const isHandshake = answersTls && request.startsWith("\x16");
      if (!isHandshake && !request.endsWith("\r\n\r\n")) return;
      requests.push(request.trimEnd());
      if (typeof answer === "string") socket.end(answer);
      else answer(socket, request);
    });
  };
  return started(
    tls ? createTlsServer(certificate(), serve) : createServer(serve),
    requests,
    address,
  );
}

/** Serves connections on loopback that are handled before any request. */
export const socketServer = (serve: (socket: Socket) => void): Promise<RawServer> =>
  started(createServer(serve), [], "127.0.0.1");

/** Starts a server, and ends it with the test. */
export async function started(
  server: Server,
  requests: readonly string[],
  address: string,
): Promise<RawServer> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, requests, open: () => sockets.size };
}

/** A port on loopback at which nobody listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A certificate that nobody trusts. */
export function certificate(): TlsOptions {
  return selfSigned({ name: "nobody", ips: ["10.9.8.7"], now: new Date() });
}
