import { once } from "node:events";
import { connect } from "node:http2";
import { type AddressInfo, createConnection, createServer } from "node:net";
import { afterEach, expect, test } from "vitest";
import { field, int, message, text } from "../../base/protobuf-message.ts";
import { createGrpcClient, type GrpcClient, type GrpcReceiver } from "./grpc-client.ts";
import { GrpcError, grpcCodes } from "./grpc-error.ts";
import { grpcFrame } from "./grpc-frames.ts";
import { createGrpcServer, type GrpcHandler, streamHandler, unaryHandler } from "./grpc-server.ts";

const Note = message({ text: field(1, text), count: field(2, int) });
const method = (name: string) => ({ path: `/test.Notes/${name}`, request: Note, response: Note });
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A client of a server with some handlers. */
async function clientOf(...handlers: GrpcHandler[]): Promise<GrpcClient> {
  const server = createGrpcServer({ handlers, maxMessageBytes: 1 << 20 });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = createGrpcClient({
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    maxMessageBytes: 1 << 20,
  });
  ends.push(() => {
    client.close();
    server.close();
  });
  return client;
}

const echo = unaryHandler(method("Echo"), async (note) => note);

test("gRPC: a call of any size gets its response", async () => {
  const client = await clientOf(echo);
  for (const size of [0, 1, 100, 100_000]) {
    const note = { text: "a".repeat(size), count: size };
    expect(await client.unary(method("Echo"), note)).toEqual(note);
  }
});

test("gRPC: an error arrives with its code and message", async () => {
  const refuse = unaryHandler(method("Refuse"), async () => {
    throw new GrpcError(grpcCodes.outOfRange, "etcdserver: 100 % “too far”\n");
  });
  const client = await clientOf(refuse);
  await expect(client.unary(method("Refuse"), {})).rejects.toMatchObject({
    code: grpcCodes.outOfRange,
    message: "etcdserver: 100 % “too far”\n",
  });
  await expect(client.unary(method("Other"), {})).rejects.toMatchObject({
    code: grpcCodes.unimplemented,
  });
});

test("gRPC: a client may send any :authority", async () => {
  const { address } = await clientOf(echo);
  const session = connect(`http://${address}`);
  ends.push(() => session.destroy());
  for (const authority of ["x", `http://${address}`, "http://äöü/", "a".repeat(1000)]) {
    const stream = session.request({
      ":method": "POST",
      ":path": "/test.Notes/Echo",
      ":authority": authority,
      "content-type": "application/grpc",
    });
    stream.end(grpcFrame(Note.encode({ text: authority }))).resume();
    const [trailers] = await once(stream, "trailers");
    expect(trailers["grpc-status"]).toBe("0");
  }
});

test("gRPC: clients that disconnect at any byte do not affect others", async () => {
  const client = await clientOf(echo);
  const [host = "", port = ""] = client.address.split(":");
  // The bytes that a client sends to make a call.
  const sent = await recorded(async (address) => {
    const other = createGrpcClient({ address });
    const call = other.unary(method("Echo"), { text: "a".repeat(3000) }).catch(() => undefined);
    return { call, close: () => other.close() };
  });
  for (let length = 0; length < sent.length; length += Math.ceil(sent.length / 60)) {
    const socket = createConnection({ host, port: Number(port) });
    await once(socket, "connect");
    socket.on("error", () => undefined).write(sent.subarray(0, length));
    if (length % 2 === 0) socket.resetAndDestroy();
    else socket.end();
  }
  for (let n = 0; n < 20; n++)
    expect(await client.unary(method("Echo"), { count: n + 1 })).toMatchObject({ count: n + 1 });
});

/** The first bytes that a client sends to a server that only listens. */
async function recorded(
  begin: (address: string) => Promise<{ readonly call: Promise<unknown>; close(): void }>,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => undefined).on("data", (piece: Buffer) => pieces.push(piece));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { close, call } = await begin(`127.0.0.1:${(server.address() as AddressInfo).port}`);
  await expect.poll(() => Buffer.concat(pieces).length).toBeGreaterThan(3000);
  close();
  server.close();
  await call;
  return Buffer.concat(pieces);
}

test("gRPC: a message that is too large is rejected", async () => {
  const client = await clientOf(echo);
  const text = "a".repeat((1 << 20) + 1);
  await expect(client.unary(method("Echo"), { text })).rejects.toMatchObject({
    code: grpcCodes.resourceExhausted,
  });
  expect(await client.unary(method("Echo"), { count: 1 })).toMatchObject({ count: 1 });
});

test("gRPC: a deadline and a cancellation end a call on both sides", async () => {
  const seen: string[] = [];
  const wait = unaryHandler(method("Wait"), async (_, { signal }) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    seen.push((signal.reason as GrpcError).message);
    return {};
  });
  const client = await clientOf(wait);
  await expect(client.unary(method("Wait"), {}, { timeoutMs: 30 })).rejects.toMatchObject({
    code: grpcCodes.deadlineExceeded,
  });
  const giving = new AbortController();
  const call = client.unary(method("Wait"), {}, { signal: giving.signal });
  await expect.poll(() => seen.length).toBe(1);
  giving.abort(new Error("no longer"));
  await expect(call).rejects.toThrow("no longer");
  await expect.poll(() => seen.length).toBe(2);
});

test("gRPC: a bidirectional stream lasts until one side ends it", async () => {
  const double = streamHandler(method("Double"), async (notes, { send }) => {
    for await (const { text, count } of notes) {
      await send({ text, count });
      await send({ text, count: count * 2 });
    }
  });
  const client = await clientOf(double);
  const received: number[] = [];
  const ended = await new Promise((resolve) => {
    const receiver: GrpcReceiver<{ readonly count: number }> = {
      message({ count }) {
        received.push(count);
        if (received.length === 4) stream.finish();
      },
      end: resolve,
    };
    const stream = client.stream(method("Double"), receiver);
    stream.send({ count: 1 });
    stream.send({ count: 5 });
  });
  expect([received, ended]).toEqual([[1, 2, 5, 10], undefined]);
});

test("gRPC: a call without a server fails as unsent, and the client reconnects", async () => {
  const client = await clientOf(echo);
  await client.unary(method("Echo"), {});
  const nobody = createGrpcClient({ address: "127.0.0.1:1" });
  ends.push(() => nobody.close());
  await expect(nobody.unary(method("Echo"), {})).rejects.toMatchObject({
    code: grpcCodes.unavailable,
    wasNotSent: true,
  });
});
