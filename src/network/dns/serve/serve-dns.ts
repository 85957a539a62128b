import { createSocket } from "node:dgram";
import { type AddressInfo, createServer, isIPv6, type Socket } from "node:net";
import type { Log } from "../../../base/log.ts";
import { udpSize } from "../forward/upstream-query.ts";
import { decodeMessage, headerBytes } from "../message/decode-message.ts";
import { responseCodes } from "../message/dns-codes.ts";
import type { DnsMessage } from "../message/dns-message.ts";
import { encodeMessage } from "../message/encode-message.ts";
import { frameOf, MessageFrames } from "../message/message-frames.ts";

/** A client's message: where it came from, and how. */
export interface DnsClient {
  readonly protocol: "udp" | "tcp";
  readonly address: string;
}

export interface ServeDnsOptions {
  readonly address: string;
  /** 0 for any that is free, the same for UDP and TCP. */
  readonly port: number;
  /** Answers a query; undefined to drop it. */
  readonly answer: (
    query: DnsMessage,
    client: DnsClient,
  ) => DnsMessage | undefined | Promise<DnsMessage | undefined>;
  readonly log: Log;
  /** Limits, which tests make smaller. */
  readonly limits?: Partial<DnsLimits> | undefined;
}

export interface DnsLimits {
  /** TCP connections at the same time; further ones are closed. */
  readonly connections: number;
  /** How long a TCP connection may be idle. */
  readonly idleMs: number;
  /** Queries of one TCP connection that are not answered; more are not read. */
  readonly pipelined: number;
  /** Queries over UDP that are not answered; more are dropped. */
  readonly datagrams: number;
}

export interface DnsServer {
  readonly port: number;
  close(): Promise<void>;
}

const usualLimits: DnsLimits = { connections: 250, idleMs: 10_000, pipelined: 64, datagrams: 4096 };

/** Listens for queries over UDP and TCP at an address. */
export async function serveDns(options: ServeDnsOptions): Promise<DnsServer> {
  const limits = { ...usualLimits, ...options.limits };
  const tcp = await serveTcp(options, limits);
  try {
    const udp = await serveUdp({ ...options, port: tcp.port }, limits);
    return {
      port: tcp.port,
      async close() {
        await Promise.all([udp.close(), tcp.close()]);
      },
    };
  } catch (error) {
    await tcp.close();
    throw error;
  }
}

function serveUdp(
  { address, port, answer, log }: ServeDnsOptions,
  { datagrams }: DnsLimits,
): Promise<{ close(): Promise<void> }> {
  const family = isIPv6(address)
    ? ({ type: "udp6", ipv6Only: true } as const)
    : ({ type: "udp4" } as const);
  const socket = createSocket({ ...family, recvBufferSize: 1 << 20 });
  let open = 0;
  let isClosed = false;
  socket.on("message", (bytes, { address: from, port: source }) => {
    const query = readQuery(bytes);
    if (!query || open >= datagrams) return;
    const send = (response: DnsMessage | undefined): void => {
      if (!response || isClosed) return;
      const limit = Math.min(udpSize, Math.max(shortestLimit, query.edns?.size ?? 0));
      // A response that cannot be sent is like one that is lost.
      socket.send(encodeMessage(response, limit), source, from, () => {});
    };
    const answering = answerTo(query, () => answer(query, { protocol: "udp", address: from }), log);
    if (!(answering instanceof Promise)) {
      send(answering);
      return;
    }
    open++;
    void answering.then((response) => {
      open--;
      send(response);
    });
  });
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.bind(port, address, () => {
      socket.off("error", reject);
      socket.on("error", (error) => log.error("serving DNS over UDP failed", error, { address }));
      resolve({
        close: () =>
          new Promise((closed) => {
            isClosed = true;
            socket.close(() => closed());
          }),
      });
    });
  });
}

/** What every client takes over UDP. */
const shortestLimit = 512;

function serveTcp(options: ServeDnsOptions, limits: DnsLimits): Promise<DnsServer> {
  const { address, port, log } = options;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    serveConnection(socket, options, limits);
  });
  server.maxConnections = limits.connections;
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host: address, ipv6Only: isIPv6(address) }, () => {
      server.off("error", reject);
      server.on("error", (error) => log.error("serving DNS over TCP failed", error, { address }));
      resolve({
        port: (server.address() as AddressInfo).port,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            for (const socket of sockets) socket.destroy();
          }),
      });
    });
  });
}

/** Answers the queries of a connection, each when its answer is there. */
function serveConnection(
  socket: Socket,
  { answer, log }: ServeDnsOptions,
  { idleMs, pipelined }: DnsLimits,
): void {
  const frames = new MessageFrames();
  const waiting: Buffer[] = [];
  const address = socket.remoteAddress ?? "";
  let open = 0;
  let hasEnded = false;
  socket.setNoDelay(true);
  socket.setTimeout(idleMs, () => socket.destroy());
  socket.on("error", () => socket.destroy());
  socket.on("end", () => {
    hasEnded = true;
    if (open === 0 && waiting.length === 0) socket.end();
  });
  const next = (): void => {
    while (!socket.destroyed && open < pipelined && waiting.length > 0) {
      const bytes = waiting.shift() ?? Buffer.alloc(0);
      const query = readQuery(bytes);
      if (!query) {
        // The other side does not speak DNS.
        socket.destroy();
        return;
      }
      open++;
      void Promise.resolve(
        answerTo(query, () => answer(query, { protocol: "tcp", address }), log),
      ).then((response) => {
        open--;
        if (socket.destroyed) return;
        if (response) socket.write(frameOf(encodeMessage(response)));
        next();
        if (hasEnded && open === 0 && waiting.length === 0) socket.end();
      });
    }
    // A client that does not read its responses is not read either.
    if (waiting.length > 0 || socket.writableLength > mostUnread) socket.pause();
    else socket.resume();
  };
  socket.on("drain", next);
  socket.on("data", (bytes) => {
    waiting.push(...frames.push(bytes));
    next();
  });
}

const mostUnread = 1 << 20;

/** A query; with an empty question if only its header can be read. Undefined for what is to be dropped. */
function readQuery(bytes: Buffer): DnsMessage | undefined {
  if (bytes.length < headerBytes) return undefined;
  // Responding to a response could go on forever.
  if ((bytes.readUInt16BE(2) & 0x8000) !== 0) return undefined;
  return decodeMessage(bytes) ?? decodeMessage(headerOf(bytes));
}

/** The header of a malformed query, without what should follow it. */
const headerOf = (bytes: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, 4), Buffer.alloc(headerBytes - 4)]);

/** An answer; one that says that it failed, if it did. */
function answerTo(
  query: DnsMessage,
  answer: () => DnsMessage | undefined | Promise<DnsMessage | undefined>,
  log: Log,
): DnsMessage | undefined | Promise<DnsMessage | undefined> {
  const failed = (error: unknown): DnsMessage => {
    log.error("answering a query failed", error);
    return { ...query, isResponse: true, code: responseCodes.SERVFAIL, additionals: [] };
  };
  try {
    const answering = answer();
    return answering instanceof Promise ? answering.catch(failed) : answering;
  } catch (error) {
    return failed(error);
  }
}
