import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { onTestFinished } from "vitest";
import { type GrpcReply, streamHandler } from "../../platform/grpc/grpc-server.ts";
import { serveGrpcSocket } from "../../platform/grpc/serve-grpc-socket.ts";
import { noPacket, type Packet, packetTypes, proxyStream } from "./konnectivity-messages.ts";

/** Records the places that a proxy was to connect to. */
export interface SocketProxy {
  readonly asked: readonly string[];
}

/** A proxy of HTTP at a Unix socket. */
export async function connectProxy(path: string): Promise<SocketProxy> {
  const asked: string[] = [];
  const server = createHttpServer();
  server.on("connect", (request: IncomingMessage, client: Duplex) => {
    const place = request.url ?? "";
    asked.push(place);
    const { hostname, port } = new URL(`tcp://${place}`);
    const target = connect(Number(port), hostname);
    target.on("connect", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      client.pipe(target).pipe(client);
    });
    target.on("error", () => client.end("HTTP/1.1 503 Service Unavailable\r\n\r\n"));
    client.on("error", () => target.destroy()).on("close", () => target.destroy());
  });
  await new Promise<void>((resolve) => void server.listen(path, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked };
}

const isLoopback = (host: string): boolean => host === "localhost" || host.startsWith("127.");

/** A konnectivity server at a Unix socket that connects by itself, without agents. */
export async function konnectivityServer(path: string): Promise<SocketProxy> {
  const asked: string[] = [];
  const served = await serveGrpcSocket(path, [
    streamHandler(proxyStream, async (packets, reply) => {
      const tunnel = new ServedTunnel(reply);
      for await (const packet of packets) {
        if (packet.dialRequest) asked.push(packet.dialRequest.address);
        tunnel.take(packet);
      }
    }),
  ]);
  onTestFinished(() => served.close());
  return { asked };
}

class ServedTunnel {
  readonly #reply: GrpcReply<Packet>;
  #target: ReturnType<typeof connect> | undefined;

  constructor(reply: GrpcReply<Packet>) {
    this.#reply = reply;
    reply.signal.addEventListener("abort", () => this.#target?.destroy());
  }

  take({ dialRequest, data, closeRequest }: Packet): void {
    if (dialRequest) this.#dial(dialRequest);
    if (data) this.#target?.write(data.data);
    if (closeRequest) this.#target?.end();
  }

  #dial({ address, random }: NonNullable<Packet["dialRequest"]>): void {
    const connectID = 7n;
    const { hostname, port } = new URL(`tcp://${address}`);
    if (!isLoopback(hostname)) {
      const error = `${hostname} is not in this test`;
      this.#send(packetTypes.dialResponse, { dialResponse: { error, connectID, random } });
      return;
    }
    const target = connect(Number(port), hostname);
    this.#target = target;
    const dialled = (error: string): void =>
      this.#send(packetTypes.dialResponse, { dialResponse: { error, connectID, random } });
    target.on("connect", () => dialled(""));
    target.on("error", (error) => dialled(`dial: ${(error as NodeJS.ErrnoException).code}`));
    target.on("data", (bytes) =>
      this.#send(packetTypes.data, { data: { connectID, error: "", data: bytes } }),
    );
    target.on("close", () =>
      this.#send(packetTypes.closeResponse, { closeResponse: { connectID, error: "" } }),
    );
  }

  #send(type: number, payload: Partial<Packet>): void {
    this.#reply.send({ ...noPacket, ...payload, type }).catch(() => {});
  }
}
