import { once } from "node:events";
import {
  createServer,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
  type Settings,
} from "node:http2";
import { type AddressInfo, createServer as createPlainServer, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { HeaderField } from "./hpack-decoder.ts";
import { Http2Connection, type Http2Fault } from "./http2-connection.ts";
import { frameBytes, frameTypes } from "./http2-frames.ts";

/** A server with this handler for its streams, and a connection to it. */
async function connected(
  answer: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void,
  settings: Settings = {},
) {
  const server = createServer({ settings });
  const sessions: Http2Session[] = [];
  server.on("session", (session) => void sessions.push(session));
  server.on("stream", (stream, headers) => {
    stream.on("error", () => {});
    answer(stream, headers);
  });
  server.on("sessionError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const connection = connectionTo(server.address() as AddressInfo);
  onTestFinished(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return { connection, sessions };
}

function connectionTo({ port }: AddressInfo, pingMs = 10_000): Http2Connection {
  const connection = new Http2Connection({ address: `127.0.0.1:${port}`, pingMs });
  onTestFinished(() => connection.destroy());
  return connection;
}

interface Answered {
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: number;
  readonly fault: Http2Fault | undefined;
}

/** Sends a request with a body, and waits for its end. */
function ask(
  connection: Http2Connection,
  { path = "/", body = new Uint8Array(10), fields = [] as HeaderField[] } = {},
): Promise<Answered> {
  return new Promise((resolve) => {
    const headers: Record<string, string> = {};
    let bytes = 0;
    const stream = connection.request(path, fields, {
      headers: (all) => void Object.assign(headers, Object.fromEntries(all)),
      data: (part) => {
        bytes += part.length;
      },
      end: (fault) => resolve({ headers, bytes, fault }),
    });
    stream.write(body, true);
  });
}

/** Responds with as many bytes as it received. */
const echoSize = (stream: ServerHttp2Stream): void => {
  let size = 0;
  stream.on("data", (part: Buffer) => {
    size += part.length;
  });
  stream.on("end", () => {
    stream.respond({ ":status": 200, size: String(size), "x-path": "y".repeat(20_000) });
    stream.end(Buffer.alloc(size));
  });
};

test("Http2Connection: sends and receives bodies of any size, with any flow-control windows", async () => {
  const { connection } = await connected(echoSize, { initialWindowSize: 1000 });
  const sizes = [0, 1, 999, 1001, 16_384, 16_385, 300_000, 6_000_000];
  const answers = await Promise.all(
    sizes.map((size) => ask(connection, { body: new Uint8Array(size) })),
  );
  expect(answers.map(({ headers, bytes, fault }) => [headers.size, bytes, fault])).toEqual(
    sizes.map((size) => [String(size), size, undefined]),
  );
  // Header blocks of several frames are joined.
  expect(answers[0]?.headers["x-path"]).toHaveLength(20_000);
});

test("Http2Connection: works with a server without a header table, or with few concurrent streams", async () => {
  let open = 0;
  let most = 0;
  const paths: unknown[] = [];
  const { connection } = await connected(
    (stream, headers) => {
      most = Math.max(most, ++open);
      paths.push(headers[":path"], headers["x-more"]);
      stream.on("close", () => open--);
      setImmediate(() => echoSize(stream));
    },
    { maxConcurrentStreams: 3, headerTableSize: 0 },
  );
  const fields: HeaderField[] = [["x-more", "the same"]];
  // The first request makes sure that the server's settings have arrived.
  await ask(connection, { path: "/0", fields });
  const numbers = Array.from({ length: 20 }, (_, n) => n + 1);
  await Promise.all(numbers.map((n) => ask(connection, { path: `/${n}`, fields })));
  expect(paths).toEqual([0, ...numbers].flatMap((n) => [`/${n}`, "the same"]));
  expect(most).toBe(3);
});

test("Http2Connection: tells requests that were never processed from those that may have been", async () => {
  const { connection, sessions } = await connected((stream, headers) => {
    if (headers[":path"] === "/refused") stream.close(7);
    if (headers[":path"] === "/cancelled") stream.close(8);
    if (headers[":path"] === "/lost") sessions[0]?.destroy();
  });
  const [refused, cancelled] = await Promise.all([
    ask(connection, { path: "/refused" }),
    ask(connection, { path: "/cancelled" }),
  ]);
  const lost = await ask(connection, { path: "/lost" });
  expect([refused, cancelled, lost].map(({ fault }) => fault?.wasNotSent)).toEqual([
    true,
    false,
    false,
  ]);
  expect(connection.isUsable).toBe(false);
  const nobody = connectionTo({ port: 1 } as AddressInfo);
  const { fault } = await ask(nobody);
  expect([fault?.wasNotSent, fault?.error?.message]).toEqual([
    true,
    "connect ECONNREFUSED 127.0.0.1:1",
  ]);
});

test("Http2Connection: after GOAWAY, accepted streams complete and others fail as unprocessed", async () => {
  const held: ServerHttp2Stream[] = [];
  const { connection, sessions } = await connected((stream) => {
    stream.resume();
    held.push(stream);
  });
  const [first, second] = [ask(connection), ask(connection)];
  await expect.poll(() => held.length).toBe(2);
  // As if only the first had been accepted.
  sessions[0]?.goaway(0, held[0]?.id);
  expect((await second).fault).toMatchObject({ wasNotSent: true });
  expect(connection.isUsable).toBe(false);
  held[0]?.respond({ ":status": 200 }, { endStream: true });
  expect((await first).fault).toBe(undefined);
});

test("Http2Connection: a cancelled request gets no more events, and the server gets a reset", async () => {
  const closed: number[] = [];
  const { connection } = await connected((stream) => {
    stream.on("close", () => closed.push(stream.rstCode));
    stream.respond({ ":status": 200 });
    stream.write("a");
  });
  const events: string[] = [];
  await new Promise<void>((resolve) => {
    const stream = connection.request("/", [], {
      headers: () => void events.push("headers"),
      data: () => {
        stream.cancel();
        resolve();
      },
      end: () => void events.push("end"),
    });
  });
  await expect.poll(() => closed).toEqual([8]);
  expect(events).toEqual(["headers"]);
});

test("Http2Connection: a server that does not answer pings is disconnected", async () => {
  const sockets: Socket[] = [];
  const silent = createPlainServer((socket) => void sockets.push(socket.on("error", () => {})));
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const { fault } = await ask(connectionTo(silent.address() as AddressInfo, 30));
  expect([fault?.wasNotSent, fault?.error?.message]).toEqual([
    false,
    "the server does not answer pings",
  ]);
});

test("Http2Connection: a server that breaks the protocol is disconnected with the reason", async () => {
  const strange = createPlainServer((socket) => {
    socket.on("error", () => {});
    socket.write("HTTP/1.1 400 Bad Request\r\n\r\n");
  });
  strange.listen(0, "127.0.0.1");
  await once(strange, "listening");
  onTestFinished(() => void strange.close());
  const { fault } = await ask(connectionTo(strange.address() as AddressInfo));
  expect(fault?.error?.message).toMatch(/^the server sent a frame of \d+ bytes$/);
});

test("Http2Connection: a server with endless headers is disconnected", async () => {
  const endless = createPlainServer((socket) => {
    socket.on("error", () => {});
    const part = { id: 1, flags: 0 };
    socket.write(frameBytes(frameTypes.settings, {}, []));
    socket.once("data", () => {
      socket.write(frameBytes(frameTypes.headers, part, []));
      for (let n = 0; n < 20; n++) socket.write(frameBytes(frameTypes.continuation, part, []));
    });
  });
  endless.listen(0, "127.0.0.1");
  await once(endless, "listening");
  onTestFinished(() => void endless.close());
  const { fault } = await ask(connectionTo(endless.address() as AddressInfo));
  expect(fault?.error?.message).toBe("the server sent headers in more than 16 frames");
});
