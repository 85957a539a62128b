import { createServer, type IncomingMessage, request, type Server } from "node:http";
import { request as tlsRequest } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { startProxy } from "./proxy.ts";
import type { Route } from "./routes.ts";

/** Starts a backend until the test ends. */
async function startBackend(handle: Parameters<typeof createServer>[1]): Promise<Server> {
  const server = createServer(handle as never);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  return server;
}
const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** Starts a proxy that sends everything below a path to these ports. */
async function startTestProxy(path: string, ports: readonly number[]) {
  const endpoints = ports.map((port) => ({ host: "127.0.0.1", port }));
  const backend = { name: "default/s", endpoints };
  const routes: readonly Route[] = [{ host: "x.test", path, isExact: false, backend }];
  const table = { routes: () => routes, secureContext: () => undefined };
  const proxy = await startProxy({ table, httpPort: 0, httpsPort: 0, address: "127.0.0.1" });
  onTestFinished(() => proxy.close());
  return proxy;
}

/** Sends a request; resolves with its response. */
const send = (port: number, path: string, options: object = {}, body?: string) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { host: "x.test", ...(options as { headers?: object }).headers };
    request({ port, path, host: "127.0.0.1", agent: false, ...options, headers }, resolve)
      .on("error", reject)
      .on("upgrade", (response, socket) => resolve(Object.assign(response, { upgraded: socket })))
      .end(body);
  });

test("startProxy: a request and its response pass, with what is known of the client", async () => {
  const backend = await startBackend(async (incoming, response) => {
    response.writeHead(201, { "x-from": "backend", "set-cookie": ["a=1", "b=2"] });
    const { method, url, headers } = incoming;
    response.end(JSON.stringify({ method, url, headers, body: await text(incoming) }));
  });
  const { httpPort } = await startTestProxy("/a", [portOf(backend)]);
  const headers = { "x-forwarded-for": "1.2.3.4", "x-secret": "1", connection: "close, x-secret" };
  const response = await send(httpPort, "/a/b?c=1", { method: "POST", headers }, "hello");
  expect(response).toMatchObject({ statusCode: 201, headers: { "set-cookie": ["a=1", "b=2"] } });
  const seen = JSON.parse(await text(response));
  expect(seen).toMatchObject({ method: "POST", url: "/a/b?c=1", body: "hello" });
  expect(seen.headers).toMatchObject({
    ...{ host: "x.test", "x-forwarded-host": "x.test" },
    ...{ "x-forwarded-for": "127.0.0.1", "x-forwarded-proto": "http" },
  });
  expect(seen.headers).not.toHaveProperty("x-secret");
});

test("startProxy: a body of unknown length passes while it is written", async () => {
  const backend = await startBackend((incoming, response) => void incoming.pipe(response));
  const { httpPort } = await startTestProxy("", [portOf(backend)]);
  const headers = { host: "x.test", "transfer-encoding": "chunked" };
  const sent = request({ port: httpPort, host: "127.0.0.1", method: "PUT", path: "/", headers });
  sent.write("one ");
  const response = await new Promise<IncomingMessage>((resolve) => sent.once("response", resolve));
  const chunks = response[Symbol.asyncIterator]();
  expect(`${(await chunks.next()).value}`).toBe("one ");
  sent.end("two");
  expect(`${(await chunks.next()).value}`).toBe("two");
});

test("startProxy: an endpoint that has gone costs no request", async () => {
  const gone = await startBackend(() => {});
  const port = portOf(gone);
  await new Promise((resolve) => gone.close(resolve));
  const backend = await startBackend((_, response) => void response.end("ok"));
  const { httpPort } = await startTestProxy("", [port, portOf(backend)]);
  const all = Array.from({ length: 20 }, () => send(httpPort, "/"));
  for (const response of await Promise.all(all)) expect(await text(response)).toBe("ok");
});

test("startProxy: what cannot be forwarded gets a status", async () => {
  const gone = await startBackend(() => {});
  const port = portOf(gone);
  await new Promise((resolve) => gone.close(resolve));
  const status = async (ports: number[], path: string, headers = {}) =>
    (await send((await startTestProxy("/a", ports)).httpPort, path, { headers })).statusCode;
  expect(await status([port], "/b")).toBe(404);
  expect(await status([port], "/a", { host: "y.test" })).toBe(404);
  expect(await status([], "/a")).toBe(503);
  expect(await status([port], "/a")).toBe(502);
  expect(await status([port], "/a/../b")).toBe(400);
  expect(await status([port], "/a/%2E%2e/b")).toBe(400);
});

test("startProxy: a backend that breaks off breaks off the response", async () => {
  const backend = await startBackend((_, response) => {
    response.writeHead(200, { "content-length": "10" });
    response.write("half", () => response.destroy());
  });
  const { httpPort } = await startTestProxy("", [portOf(backend)]);
  await expect(text(await send(httpPort, "/"))).rejects.toThrow("aborted");
});

test("startProxy: an upgraded connection passes bytes both ways, and ends with either side", async () => {
  const backend = await startBackend(() => {});
  backend.on("upgrade", (incoming, socket, head) => {
    const { upgrade } = incoming.headers;
    socket.write(`HTTP/1.1 101 ok\r\nconnection: upgrade\r\nupgrade: ${upgrade}\r\n\r\nhi `);
    socket.write(head);
    socket.pipe(socket);
  });
  const { httpPort } = await startTestProxy("", [portOf(backend)]);
  const headers = { connection: "Upgrade", upgrade: "websocket" };
  const response = await send(httpPort, "/", { headers });
  expect(response).toMatchObject({ statusCode: 101, headers: { upgrade: "websocket" } });
  const { upgraded } = response as unknown as { upgraded: import("node:net").Socket };
  upgraded.end("hello");
  expect(await text(upgraded)).toMatch(/hello$/);
});

test("startProxy: an upgrade that the backend rejects gets its response", async () => {
  const backend = await startBackend((_, response) => void response.writeHead(403).end("no"));
  const { httpPort } = await startTestProxy("", [portOf(backend)]);
  const headers = { connection: "Upgrade", upgrade: "websocket" };
  const response = await send(httpPort, "/", { headers });
  expect([response.statusCode, await text(response)]).toEqual([403, "no"]);
});

test("startProxy: no other protocol than WebSocket is upgraded to", async () => {
  const backend = await startBackend((_, response) => void response.end("HTTP/1.1"));
  backend.on("upgrade", (_, socket) => void socket.end("HTTP/1.1 101 ok\r\n\r\n"));
  const { httpPort } = await startTestProxy("", [portOf(backend)]);
  const headers = { connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", "http2-settings": "AA" };
  const response = await send(httpPort, "/", { headers });
  expect([response.statusCode, await text(response)]).toEqual([200, "HTTP/1.1"]);
  const withBody = await send(httpPort, "/", { method: "POST", headers }, "hello");
  expect(withBody.statusCode).toBe(400);
});

test("startProxy: a host without a certificate has no TLS", async () => {
  const { httpsPort } = await startTestProxy("", []);
  const sent = tlsRequest({ port: httpsPort, host: "127.0.0.1", servername: "x.test" }).end();
  const error = await new Promise<Error>((resolve) => sent.once("error", resolve));
  expect(error.message).toMatch(/ECONNRESET|disconnected|alert|hang up/);
});
