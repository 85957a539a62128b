import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { hostPort } from "../../base/network.ts";
import { onAbort } from "../../base/on-abort.ts";
import type { Dial } from "../../platform/dial-socket.ts";
import { createGrpcClient, type GrpcStream } from "../../platform/grpc/grpc-client.ts";
import type { GrpcError } from "../../platform/grpc/grpc-error.ts";
import { noPacket, type Packet, packetTypes, proxyStream } from "./konnectivity-messages.ts";
import { TunnelSocket } from "./tunnel-socket.ts";

/** How long the other end may take to confirm that a connection is closed. */
const closeMs = 10_000;

/** Connects to the konnectivity server at a Unix socket; each tunnel is for one connection. */
export async function openTunnel(path: string, signal: AbortSignal): Promise<Tunnel> {
  signal.throwIfAborted();
  const tunnel = new Tunnel(path);
  const unfollow = onAbort(signal, () => tunnel.close());
  try {
    await tunnel.greeted;
    return tunnel;
  } catch (cause) {
    signal.throwIfAborted();
    throw cause;
  } finally {
    unfollow();
  }
}

/** A connection to a konnectivity server, through which another one can be opened. */
class Tunnel {
  readonly #client;
  /** Names the dial: positive, of 63 bits. */
  readonly #random = randomBytes(8).readBigUInt64BE() >> 1n;
  readonly #stream: GrpcStream<Packet>;
  /** Resolves when the server speaks; rejects if it cannot be reached. */
  readonly greeted: Promise<void>;
  #socket: TunnelSocket | undefined;
  #connectID = 0n;
  #isClosing = false;
  #settle: (result: Socket | Error) => void = () => {};

  constructor(path: string) {
    let greeted = (): void => {};
    let failed = (_: Error): void => {};
    this.greeted = new Promise((resolve, reject) => {
      greeted = resolve;
      failed = reject;
    });
    this.greeted.catch(() => {});
    this.#client = createGrpcClient({ address: `unix://${path}`, greeted: () => greeted() });
    this.#stream = this.#client.stream(proxyStream, {
      message: (packet) => this.#take(packet),
      end: (error) => {
        failed(error ?? new Error("tunnel closed"));
        this.#end(error);
      },
    });
  }

  close(): void {
    this.#client.close();
  }

  /** Opens the connection; what the server says of a failure is the error. */
  async dial({ host, port }: Parameters<Dial>[0], signal: AbortSignal): Promise<Socket> {
    signal.throwIfAborted();
    const address = hostPort(host, port);
    const opened = new Promise<Socket>((resolve, reject) => {
      this.#settle = (result) => (result instanceof Error ? reject(result) : resolve(result));
    });
    const random = this.#random;
    this.#send(packetTypes.dialRequest, { dialRequest: { protocol: "tcp", address, random } });
    const unfollow = onAbort(signal, () => {
      this.#send(packetTypes.closeDial, { closeDial: { random } });
      this.#settle(signal.reason as Error);
      // What was sent must leave before the connection is closed.
      setTimeout(() => this.#client.close(), 0);
    });
    try {
      return await opened;
    } finally {
      unfollow();
    }
  }

  #send(type: number, payload: Partial<Packet>): void {
    this.#stream.send({ ...noPacket, ...payload, type });
  }

  #take({ dialResponse, data, closeResponse, closeDial }: Packet): void {
    if (dialResponse?.random === this.#random) this.#opened(dialResponse);
    else if (closeDial?.random === this.#random) this.#fail(new Error("dial closed"));
    else if (data?.connectID === this.#connectID) this.#socket?.received(data.data);
    else if (closeResponse?.connectID === this.#connectID) {
      const { error } = closeResponse;
      this.#socket?.ended(error === "" || this.#isClosing ? undefined : new Error(error));
      this.#client.close();
    }
  }

  #opened({ error, connectID }: NonNullable<Packet["dialResponse"]>): void {
    if (error !== "") {
      this.#fail(new Error(error));
      return;
    }
    this.#connectID = connectID;
    this.#socket = new TunnelSocket({
      send: (bytes) =>
        this.#send(packetTypes.data, { data: { connectID, error: "", data: bytes } }),
      close: () => this.#close(),
    });
    this.#settle(this.#socket.asSocket);
  }

  #close(): void {
    if (this.#isClosing) return;
    this.#isClosing = true;
    this.#send(packetTypes.closeRequest, { closeRequest: { connectID: this.#connectID } });
    setTimeout(() => this.#client.close(), closeMs).unref();
  }

  #fail(error: Error): void {
    this.#settle(error);
    this.#client.close();
  }

  /** The stream has ended: the server is gone, or this side has closed the connection. */
  #end(error: GrpcError | undefined): void {
    this.#settle(error ?? new Error("tunnel closed"));
    if (!this.#isClosing) this.#socket?.ended(error ?? new Error("tunnel closed"));
    else this.#socket?.ended();
    this.#client.close();
  }
}
