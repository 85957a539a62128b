import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { onTestFinished } from "vitest";
import type { selfSigned } from "../../platform/real-network.test-support.ts";

/** A proxy on loopback, which records its requests. */
export interface TestProxy {
  readonly port: number;
  readonly asked: readonly string[];
}

/** An HTTP proxy, with or without TLS; it rejects clients that do not send `authorization`. */
export async function httpProxy({
  authorization,
  tls,
}: {
  readonly authorization?: string;
  readonly tls?: ReturnType<typeof selfSigned>;
} = {}): Promise<TestProxy> {
  const asked: string[] = [];
  const server = tls ? createHttpsServer(tls) : createHttpServer();
  server.on("connect", (request: IncomingMessage, socket: Duplex) => {
    asked.push(`CONNECT ${request.url}`);
    if (authorization && request.headers["proxy-authorization"] !== authorization) {
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      return;
    }
    const [host, port] = (request.url ?? "").split(":");
    join(socket, connect(Number(port), host), "HTTP/1.1 200 OK\r\nVia: test\r\n\r\n");
  });
  server.on("request", (request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers["proxy-authorization"]}`);
    response.setHeader("content-type", "application/json");
    response.end('{"by":"proxy"}');
  });
  return { port: await listen(server), asked };
}

/** A SOCKS5 proxy with user name and password; it connects to the target, or replies with an error code. */
export async function socksProxy({
  user,
  reply = 0,
}: {
  readonly user?: string;
  readonly reply?: number;
} = {}): Promise<TestProxy> {
  const asked: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    const steps = [
      () => void socket.write(Buffer.of(5, user === undefined ? 0 : 2)),
      ...(user === undefined ? [] : [(bytes: Buffer) => checkUser(socket, bytes, user)]),
      (bytes: Buffer) => {
        const { host, port } = target(bytes);
        asked.push(`${host}:${port}`);
        socket.off("data", read);
        const answer = Buffer.of(5, reply, 0, 1, 127, 0, 0, 1, 0, 0);
        if (reply === 0) join(socket, connect(port, "127.0.0.1"), answer);
        else socket.end(answer);
      },
    ];
    const read = (bytes: Buffer): void => steps.shift()?.(bytes);
    socket.on("data", read);
  });
  return { port: await listen(server), asked };
}

function checkUser(socket: Socket, bytes: Buffer, user: string): void {
  const length = bytes[1] ?? 0;
  const given = `${bytes.subarray(2, 2 + length)}:${bytes.subarray(3 + length)}`;
  socket.write(Buffer.of(1, given === user ? 0 : 1));
}

function target(bytes: Buffer): { readonly host: string; readonly port: number } {
  const isName = bytes[3] === 3;
  const length = isName ? (bytes[4] ?? 0) : 4;
  const start = isName ? 5 : 4;
  const raw = bytes.subarray(start, start + length);
  return {
    host: isName ? raw.toString() : [...raw].join("."),
    port: bytes.readUInt16BE(start + length),
  };
}

function join(client: Duplex, server: Socket, greeting: string | Uint8Array): void {
  server.on("connect", () => {
    client.write(greeting);
    client.pipe(server).pipe(client);
  });
  server.on("error", () => client.destroy()).on("close", () => client.destroy());
  client.on("error", () => server.destroy()).on("close", () => server.destroy());
}

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket.on("close", () => sockets.delete(socket)));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}
