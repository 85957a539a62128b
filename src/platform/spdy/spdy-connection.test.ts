import { describe, expect, test } from "vitest";
import { byteStreamPair } from "../../base/byte-stream-pair.ts";
import type { ByteStream } from "../../base/network.ts";
import { SeededRandom } from "../../base/random.ts";
import type { AcceptStream, ConnectionStream } from "../../base/stream-connection.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { SpdyConnection } from "./spdy-connection.ts";
import { controlFrame, controlTypes, dataFrame } from "./spdy-frames.ts";

/** A stream whose reader gets at most so many bytes at a time. */
function inPieces(stream: ByteStream, size: () => number): ByteStream {
  let rest: Uint8Array | undefined = new Uint8Array(0);
  return {
    ...stream,
    async read() {
      if (rest?.length === 0) rest = await stream.read();
      const piece = rest?.subarray(0, size());
      rest = rest?.subarray(piece?.length);
      return piece;
    },
  };
}

interface Pair {
  readonly client: SpdyConnection;
  readonly server: SpdyConnection;
}

function connected(accept: AcceptStream, size = () => Number.POSITIVE_INFINITY): Pair {
  const [near, far] = byteStreamPair();
  return {
    server: new SpdyConnection(inPieces(far, size), { role: "server", accept }),
    client: new SpdyConnection(inPieces(near, size), { role: "client" }),
  };
}

async function readAll(stream: ByteStream, afterRead = async () => {}): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for (let bytes = await stream.read(); bytes; bytes = await stream.read()) {
    pieces.push(bytes);
    await afterRead();
  }
  return Buffer.concat(pieces);
}

async function copy(from: ByteStream, to: ByteStream): Promise<void> {
  for (let bytes = await from.read(); bytes; bytes = await from.read()) await to.write(bytes);
  await to.end();
}

const echo: AcceptStream = (stream) => {
  copy(stream, stream).catch(() => stream.destroy());
  return true;
};

function randomBytes(random: SeededRandom, length: number): Uint8Array {
  return Uint8Array.from({ length }, () => random.next() * 256);
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test.each([1, 2, 3, 5, 8, 13])("SPDY: frames arrive in pieces of %d bytes", async (size) => {
  const accepted: ConnectionStream[] = [];
  const { client, server } = connected(
    (stream) => {
      accepted.push(stream);
      return echo(stream);
    },
    () => size,
  );
  const bytes = randomBytes(new SeededRandom(size), 1000);
  const streams = [];
  for (const type of ["error", "stdin", "stdout"])
    streams.push(await client.open({ streamType: type, port: "80" }));
  for (const stream of streams) {
    await stream.write(bytes);
    await stream.end();
    expect(await readAll(stream)).toEqual(Buffer.from(bytes));
  }
  expect(accepted.map(({ id, headers }) => [id, { ...headers }])).toEqual([
    [1, { streamtype: "error", port: "80" }],
    [3, { streamtype: "stdin", port: "80" }],
    [5, { streamtype: "stdout", port: "80" }],
  ]);
  await Promise.all([client.close(), server.close()]);
});

test("SPDY: 10 MB both ways with slow readers, in random pieces", async () => {
  const random = new SeededRandom(42);
  const sizes = new SeededRandom(7);
  const { client, server } = connected(echo, () => 1 + Math.floor(sizes.next() ** 4 * 200_000));
  const lengths = [5_000_000, 3_000_000, 1_500_000, 499_999, 1];
  const done = lengths.map(async (length) => {
    const bytes = Buffer.alloc(length, randomBytes(random, Math.min(length, 65_521)));
    const stream = await client.open({ streamtype: "data" });
    const received = readAll(stream, () => (random.next() < 0.2 ? turn() : Promise.resolve()));
    for (let at = 0; at < length; ) {
      const end = at + 1 + Math.floor(random.next() ** 3 * 300_000);
      await stream.write(bytes.subarray(at, end));
      at = end;
    }
    await stream.end();
    expect((await received).equals(bytes)).toBe(true);
  });
  await Promise.all(done);
  await Promise.all([client.close(), server.close()]);
});

test.each([1, 2, 3, 4, 5])(
  "SPDY: streams that come, go and break at random, seed %d",
  async (seed) => {
    const random = new SeededRandom(seed);
    const below = (limit: number): number => Math.floor(random.next() * limit);
    const { client, server } = connected(echo, () => 1 + below(20_000));
    /** Sends random bytes; what comes back is the same, or the beginning of it if the stream is reset. */
    const exchange = async (): Promise<"whole" | "reset"> => {
      const bytes = randomBytes(random, below(200_000));
      const resetAt = random.next() < 0.3 ? below(bytes.length) : Number.POSITIVE_INFINITY;
      const stream = await client.open({ streamtype: "data", length: String(bytes.length) });
      let received = 0;
      const receiving = (async () => {
        for (let piece = await stream.read(); piece; piece = await stream.read()) {
          expect(Buffer.from(piece).equals(bytes.subarray(received, received + piece.length))).toBe(
            true,
          );
          received += piece.length;
          if (random.next() < 0.1) await turn();
        }
      })();
      receiving.catch(() => {});
      for (let at = 0; at < bytes.length; ) {
        const end = at + 1 + below(30_000);
        if (end > resetAt) {
          stream.destroy();
          await expect(receiving).rejects.toThrow("Stream reset");
          return "reset";
        }
        await stream.write(bytes.subarray(at, end));
        at = end;
      }
      await stream.end();
      await receiving;
      expect(received).toBe(bytes.length);
      return "whole";
    };
    const ends: string[] = [];
    const worker = async (): Promise<void> => {
      for (let i = 0; i < 5; i++) ends.push(await exchange());
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    expect([...new Set(ends)].sort()).toEqual(["reset", "whole"]);
    await Promise.all([client.close(), server.close()]);
  },
);

test("SPDY: a stream that is not read blocks its writer, and no other stream", async () => {
  const unread: ConnectionStream[] = [];
  const { client, server } = connected((stream) => {
    if (stream.headers.streamtype === "data") return echo(stream);
    unread.push(stream);
    return true;
  });
  const blocked = await client.open({ streamtype: "stdin" });
  let isWritten = false;
  const writing = blocked.write(new Uint8Array(1_000_000)).then(() => {
    isWritten = true;
  });
  const other = await client.open({ streamtype: "data" });
  const received = readAll(other);
  await other.write(new Uint8Array(1_000_000).fill(1));
  await other.end();
  expect((await received).length).toBe(1_000_000);
  expect(isWritten).toBe(false);
  const late = readAll(unread[0] as ConnectionStream);
  await writing;
  await blocked.end();
  expect((await late).length).toBe(1_000_000);
  await Promise.all([client.close(), server.close()]);
});

/** A peer that speaks for itself, as Kubernetes' own implementation without windows. */
function bare(accept: AcceptStream): { peer: ByteStream; server: SpdyConnection } {
  const [peer, far] = byteStreamPair();
  return { peer, server: new SpdyConnection(far, { role: "server", accept }) };
}

test("SPDY: a peer without windows is read until too much is buffered", async () => {
  const streams: ConnectionStream[] = [];
  const { peer, server } = bare((stream) => streams.push(stream) > 0);
  void readAll(peer).catch(() => {});
  await peer.write(await opened());
  let sent = 0;
  const total = 200;
  const writing = (async () => {
    for (; sent < total; sent++) await peer.write(dataFrame(1, new Uint8Array(32_768), false));
    await peer.write(dataFrame(1, new Uint8Array(0), true));
  })();
  await expect.poll(() => sent).toBeGreaterThan(31);
  await turn();
  expect(sent).toBeLessThan(40);
  expect((await readAll(streams[0] as ConnectionStream)).length).toBe(total * 32_768);
  await writing;
  await peer.end();
  await server.close();
});

test("SPDY: a peer that leaves is noticed while its data is not read", async () => {
  const [peer, far] = byteStreamPair();
  const clock = new VirtualClock();
  const server = new SpdyConnection(far, { role: "server", accept: () => true, clock });
  void readAll(peer).catch(() => {});
  await peer.write(await opened());
  let sent = 0;
  const writing = (async () => {
    for (; ; sent++) await peer.write(dataFrame(1, new Uint8Array(32_768), false));
  })();
  writing.catch(() => {});
  await expect.poll(() => sent).toBe(33);
  // Headers are decompressed by another thread: only then is data read until the stream is full.
  await expect.poll(() => clock.pending).toBe(1);
  peer.destroy();
  await clock.advance(9_999);
  expect(server.signal.aborted).toBe(false);
  await clock.advance(1);
  expect(server.signal.aborted).toBe(true);
});

/** The frame with which our client opens a stream. */
async function opened(): Promise<Uint8Array> {
  const [near, far] = byteStreamPair();
  const client = new SpdyConnection(near, { role: "client" });
  client.open({ streamtype: "stdin" }).catch(() => {});
  await far.read();
  await far.read();
  const frame = await far.read();
  far.destroy();
  return frame ?? new Uint8Array(0);
}

test("SPDY: streams are refused and reset", async () => {
  const { client, server } = connected(({ headers }) => headers.port === "1");
  await expect(client.open({ port: "2" })).rejects.toThrow("Stream reset");
  const stream = await client.open({ port: "1" });
  stream.destroy();
  await expect(stream.read()).rejects.toThrow("Stream reset");
  await expect(stream.write(new Uint8Array(1))).rejects.toThrow("Stream reset");
  await client.close();
  expect(server.signal.aborted).toBe(true);
});

test("SPDY: a broken connection fails streams that wait", async () => {
  const { client, server } = connected(() => true);
  const stream = await client.open({});
  const reading = stream.read();
  const writing = stream.write(new Uint8Array(1_000_000));
  await Promise.all([
    expect(reading).rejects.toThrow(),
    expect(writing).rejects.toThrow(),
    server.close(),
  ]);
  await expect(client.open({})).rejects.toThrow("the connection is closed");
});

test("SPDY: a client can leave a server that does not read", async () => {
  const [near, far] = byteStreamPair();
  const server = new SpdyConnection(
    { ...far, read: () => new Promise(() => {}) },
    { role: "server" },
  );
  const client = new SpdyConnection(near, { role: "client" });
  const opening = client.open({});
  opening.catch(() => {});
  await client.close();
  await expect(opening).rejects.toThrow();
  expect([client.signal.aborted, server.signal.aborted]).toEqual([true, false]);
  far.destroy();
});

describe("SPDY: hostile frames end the connection", () => {
  const hostile: readonly (readonly [what: string, bytes: Uint8Array])[] = [
    ["HTTP instead of SPDY", Buffer.from("GET / HTTP/1.1\r\n\r\n")],
    ["data of stream 0", Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 1, 0)],
    ["version 2", Uint8Array.of(0x80, 2, 0, 6, 0, 0, 0, 4, 0, 0, 0, 1)],
    ["a control frame of 16 MB", Uint8Array.of(0x80, 3, 0, 1, 0, 0xff, 0xff, 0xff)],
    ["headers that are not compressed", controlFrame(controlTypes.synStream, [1, 0, 0, 0])],
    ["a stream of the server's number", controlFrame(controlTypes.synStream, [2, 0])],
    ["a short reset", controlFrame(controlTypes.rstStream, [])],
    ["settings that are not complete", controlFrame(controlTypes.settings, [1000])],
    ["a window beyond its limit", controlFrame(controlTypes.windowUpdate, [0, 0x7fffffff])],
  ];
  test.each(hostile)("%s", async (_, bytes) => {
    const { peer, server } = bare(() => true);
    const received = readAll(peer);
    await peer.write(bytes).catch(() => {});
    const text = (await received.catch(() => Buffer.alloc(0))).toString("hex");
    // GOAWAY with a protocol error.
    expect(text.endsWith("80030007000000080000000000000001")).toBe(true);
    expect(server.signal.aborted).toBe(true);
  });

  test("a peer that sends pings and does not read the responses", async () => {
    const { peer, server } = bare(() => true);
    const ping = controlFrame(controlTypes.ping, [1]);
    const many = Buffer.concat(Array.from({ length: 5000 }, () => ping));
    await peer.write(many).catch(() => {});
    await expect.poll(() => server.signal.aborted).toBe(true);
  });
});
