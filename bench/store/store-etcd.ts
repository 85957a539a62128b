import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { createServer } from "node:net";
import { Client, credentials } from "@grpc/grpc-js";

export interface EtcdServer {
  readonly address: string;
  stop(): Promise<void>;
}

/** Starts an etcd of its own in a directory; undefined if the machine has none. */
export async function startEtcd(directory: string): Promise<EtcdServer | undefined> {
  const [client, peer] = [await freePort(), await freePort()];
  const address = `127.0.0.1:${client}`;
  const arguments_ = [
    ["--data-dir", directory],
    ["--listen-client-urls", `http://${address}`],
    ["--advertise-client-urls", `http://${address}`],
    ["--listen-peer-urls", `http://127.0.0.1:${peer}`],
    ["--initial-advertise-peer-urls", `http://127.0.0.1:${peer}`],
    ["--initial-cluster", `default=http://127.0.0.1:${peer}`],
    ["--log-level", "error"],
  ].flat();
  const child = spawn(process.env.ETCD || "etcd", arguments_, { stdio: "ignore" });
  const failed = await Promise.race([
    once(child, "error").then(() => true),
    once(child, "spawn").then(() => false),
  ]);
  if (failed) return undefined;
  await untilHealthy(address, child);
  return {
    address,
    stop: async () => {
      child.kill();
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

export interface EtcdClient {
  put(key: string, value: Uint8Array): Promise<void>;
  close(): void;
}

/** A client on the usual gRPC library. */
export function grpcClient(address: string): EtcdClient {
  const client = new Client(address, credentials.createInsecure());
  const same = (bytes: Buffer): Buffer => bytes;
  return {
    put: (key, value) =>
      new Promise((resolve, reject) => {
        const request = putRequest(key, value);
        client.makeUnaryRequest(putPath, same, same, request, (error) =>
          error ? reject(error) : resolve(),
        );
      }),
    close: () => client.close(),
  };
}

/** A client on HTTP/2 alone, with nothing that a put does not need. */
export function http2Client(address: string): EtcdClient {
  const session = connect(`http://${address}`);
  return { put: (key, value) => http2Put(session, key, value), close: () => session.close() };
}

const putPath = "/etcdserverpb.KV/Put";

function http2Put(session: ClientHttp2Session, key: string, value: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ":method": "POST",
      ":path": putPath,
      "content-type": "application/grpc",
      te: "trailers",
    });
    stream.on("trailers", (trailers) => {
      if (trailers["grpc-status"] === "0") resolve();
      else reject(new Error(`etcd: ${String(trailers["grpc-message"])}`));
    });
    stream.on("error", reject);
    stream.resume();
    const message = putRequest(key, value);
    const frame = Buffer.alloc(5 + message.length);
    frame.writeUInt32BE(message.length, 1);
    frame.set(message, 5);
    stream.end(frame);
  });
}

/** PutRequest { bytes key = 1; bytes value = 2 }. */
function putRequest(key: string, value: Uint8Array): Buffer {
  const keyBytes = Buffer.from(key);
  return Buffer.concat([
    Buffer.of(0x0a, ...varint(keyBytes.length)),
    keyBytes,
    Buffer.of(0x12, ...varint(value.length)),
    value,
  ]);
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}

async function untilHealthy(address: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`etcd ended with ${child.exitCode}`);
    try {
      const answer = await fetch(`http://${address}/health`);
      if (answer.ok) return;
    } catch {
      // It does not listen yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
