import type { AddressInfo } from "node:net";
import { connect as connectTcp, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import { VirtualClock } from "../base/virtual-clock.ts";
import type { AnswerStream, GivenAnswer, SeenCall } from "../client/suite/transport-suite.ts";
import { TransportError, type TransportRequest } from "../client/transport.ts";
import { selfSigned } from "../platform/real-network.test-support.ts";
import { fixedCredentials } from "./credentials.ts";
import {
  type HttpsTransport,
  type HttpsTransportOptions,
  httpsTransport,
} from "./https-transport.ts";
import { type TestServer, testServer } from "./suite-server.test-support.ts";

const get: TransportRequest = { method: "GET", path: "/", query: "", headers: {} };

async function serving(
  answer: (call: SeenCall) => GivenAnswer,
  options: Partial<HttpsTransportOptions> = {},
): Promise<{ readonly server: TestServer; readonly transport: HttpsTransport }> {
  const server = await testServer(answer);
  const transport = httpsTransport({
    server: server.url,
    authorities: async () => server.ca,
    ...options,
  });
  onTestFinished(async () => {
    transport.close();
    await server.close();
  });
  return { server, transport };
}

/** A response that sends one value and then stays open. */
const endless = (): GivenAnswer => ({ body: (out: AnswerStream) => void out.write('{"n":1}\n') });

test("HTTP/2: watches and calls share one connection while it accepts more streams", async () => {
  const { server, transport } = await serving(({ path }) =>
    path === "/watch" ? endless() : { body: "{}" },
  );
  const ending = new AbortController();
  const open = async (count: number): Promise<void> => {
    const calls = Array.from({ length: count }, () =>
      transport({ ...get, path: "/watch", signal: ending.signal }),
    );
    await Promise.all(calls);
  };
  await open(60);
  await (await transport(get)).value();
  expect(server.connections()).toBe(1);
  await open(60);
  expect(server.connections()).toBe(2);
  ending.abort();
});

test("HTTP/1.1: calls reuse connections one after the other, and a watch has its own", async () => {
  const { server, transport } = await serving(
    ({ path }) => (path === "/watch" ? endless() : { body: "{}" }),
    { protocols: ["http/1.1"] },
  );
  for (let n = 0; n < 5; n++) await (await transport(get)).value();
  expect(server.connections()).toBe(1);
  await transport({ ...get, path: "/watch" });
  for (let n = 0; n < 5; n++) await (await transport(get)).value();
  expect(server.connections()).toBe(2);
});

test("HTTP/2: after GOAWAY pending responses are read, and new requests use a new connection", async () => {
  let out: AnswerStream | undefined;
  const { server, transport } = await serving(({ path }) =>
    path === "/watch"
      ? {
          body(stream) {
            out = stream;
            stream.write('{"n":1}\n');
          },
        }
      : { body: "{}" },
  );
  const values: unknown[] = [];
  const watching = (async () => {
    for await (const batch of (await transport({ ...get, path: "/watch" })).values()) {
      values.push(...batch);
      if (values.length > 1) continue;
      for (const session of server.sessions) session.goaway(0);
      // GOAWAY is sent before what follows it.
      await (await transport({ ...get, method: "POST", body: {} })).value();
      out?.write('{"n":2}\n');
      out?.end();
    }
  })();
  await watching;
  await (await transport(get)).value();
  expect(values).toEqual([{ n: 1 }, { n: 2 }]);
  expect(server.connections()).toBe(2);
});

test("HTTP/2: a silent connection is found dead by a ping", async () => {
  const clock = new VirtualClock(0);
  const server = await testServer(endless);
  let isCut = false;
  let passed = 0;
  const relay = createServer((socket) => {
    const beyond = connectTcp(server.port, "127.0.0.1");
    const pass = (from: Socket, to: Socket): void => {
      from.on("data", (bytes) => {
        if (isCut) return;
        to.write(bytes);
        passed++;
      });
      from.on("error", () => {}).on("close", () => to.destroy());
    };
    pass(socket, beyond);
    pass(beyond, socket);
  });
  const port = await listen(relay);
  const transport = httpsTransport({
    server: `https://127.0.0.1:${port}`,
    authorities: async () => server.ca,
    clock,
  });
  onTestFinished(() => {
    transport.close();
    relay.close();
    return server.close();
  });
  const stream = (await transport(get)).values()[Symbol.asyncIterator]();
  expect((await stream.next()).value).toEqual([{ n: 1 }]);
  const lost = expect(stream.next()).rejects.toThrow(
    new TransportError("http2: client connection lost"),
  );
  // The connection stays while pings are answered.
  for (let n = 0; n < 4; n++) {
    const before = passed;
    await clock.advance(41_000);
    while (passed < before + 2) await turns();
    await turns();
  }
  isCut = true;
  await clock.advance(41_000);
  await clock.advance(16_000);
  await lost;
});

test("a connection that was closed while idle: safe requests are retried, others are not", async () => {
  const { cert, key } = selfSigned();
  let calls = 0;
  const server = createTlsServer({ cert, key }, (socket) => {
    let isFirst = true;
    socket
      .on("error", () => {})
      .on("data", (bytes) => {
        if (!/^(GET|POST)/.test(bytes.toString())) return;
        calls++;
        if (isFirst) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
        else socket.destroy();
        isFirst = false;
      });
  });
  const port = await listen(server);
  const transport = httpsTransport({
    server: `https://127.0.0.1:${port}`,
    authorities: async () => cert,
    protocols: ["http/1.1"],
  });
  onTestFinished(() => {
    transport.close();
    server.close();
  });
  for (let n = 0; n < 3; n++) await (await transport(get)).value();
  expect(calls).toBe(5);
  await expect(transport({ ...get, method: "POST", body: {} })).rejects.toThrow(
    /^(EOF|read: connection reset by peer)$/,
  );
  expect(calls).toBe(6);
});

test("errors about a server's certificate are in Go's words", async () => {
  const { server } = await serving(() => ({ body: "{}" }));
  const other = selfSigned();
  const call = async (options: Partial<HttpsTransportOptions>): Promise<unknown> => {
    const transport = httpsTransport({ server: server.url, ...options });
    onTestFinished(transport.close);
    return (await transport(get)).value();
  };
  const ca = async (): Promise<string> => server.ca;
  await expect(call({ authorities: async () => other.cert })).rejects.toThrow(
    new TransportError(
      "tls: failed to verify certificate: x509: certificate signed by unknown authority",
    ),
  );
  await expect(call({ authorities: ca, serverName: "example.com" })).rejects.toThrow(
    new TransportError(
      "tls: failed to verify certificate: x509: certificate is valid for localhost, not example.com",
    ),
  );
  await expect(call({ authorities: ca, serverName: "localhost" })).resolves.toEqual({});
  await expect(call({ insecure: true, serverName: "example.com" })).resolves.toEqual({});
  await expect(call({ server: server.url.replace("https", "http") })).rejects.toBeInstanceOf(
    TransportError,
  );
});

test("an invalid client certificate is an error, and leaves no connection open", async () => {
  const { server, transport } = await serving(() => ({ body: "{}" }), {
    credentials: fixedCredentials({ cert: "no", key: "secret" }),
  });
  const fault = await transport(get).catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(TransportError);
  expect(String(fault)).not.toContain("secret");
  while ((await server.open()) > 0) await turns();
});

test("closing the transport ends all calls and connections", async () => {
  const { transport } = await serving(endless);
  const stream = (await transport(get)).values()[Symbol.asyncIterator]();
  await stream.next();
  const next = stream.next();
  transport.close();
  await expect(next).rejects.toBeInstanceOf(TransportError);
  await expect(transport(get)).rejects.toThrow("the transport is closed");
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** Waits until bytes between the sockets of this process have arrived. */
async function turns(): Promise<void> {
  for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve));
}
