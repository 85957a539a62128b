import { once } from "node:events";
import { connect } from "node:http2";
import { createConnection } from "node:net";
import { Duplex } from "node:stream";
import { expect, test } from "vitest";
import { createGrpcClient } from "../../platform/grpc/grpc-client.ts";
import { grpcFrame } from "../../platform/grpc/grpc-frames.ts";
import { etcdMethods } from "../etcd/etcd-methods.ts";
import { startOurs } from "./both.test-support.ts";

const key = new TextEncoder().encode("large");

test("close ends calls of clients that do not read", async () => {
  const { address, stop } = await startOurs();
  const client = createGrpcClient({ address, maxMessageBytes: 2 << 20 });
  await client.unary(etcdMethods.put, { key, value: new Uint8Array(1 << 20) });
  const { session, stalled } = await lazyCaller(address);
  for (let call = 0; call < 40; call++) {
    const stream = session.request({
      ":method": "POST",
      ":path": etcdMethods.range.path,
      "content-type": "application/grpc",
    });
    stream.on("error", () => undefined);
    stream.end(grpcFrame(etcdMethods.range.request.encode({ key })));
  }
  await stalled;
  // More than any buffer between the two holds.
  await client.unary(etcdMethods.range, { key });
  client.close();
  await expect(stop()).resolves.toBeUndefined();
  session.destroy();
});

/** Accepts any amount, and stops reading at the first byte. */
async function lazyCaller(address: string) {
  const [host, port] = address.split(":");
  const socket = createConnection(Number(port), host);
  await once(socket, "connect");
  let read = 0;
  let onStalled = (): void => undefined;
  const stalled = new Promise<void>((resolve) => {
    onStalled = resolve;
  });
  const connection = new Duplex({
    read: () => undefined,
    write: (piece, encoding, done) => void socket.write(piece, encoding, done),
    destroy(error, done) {
      socket.destroy();
      done(error);
    },
  });
  socket.on("data", (piece: Buffer) => {
    connection.push(piece);
    read += piece.length;
    if (read < 100_000) return;
    socket.pause();
    onStalled();
  });
  socket.on("error", () => undefined);
  socket.on("close", () => connection.destroy());
  const session = connect(`http://${address}`, {
    createConnection: () => connection,
    settings: { initialWindowSize: 1 << 24 },
  });
  session.on("error", () => undefined);
  await once(session, "connect");
  session.setLocalWindowSize(1 << 30);
  return { session, stalled };
}
