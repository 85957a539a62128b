import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from "node:http2";
import { connect as connectPlain } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { adminOf, type HttpsClient } from "../support/https-client.test-support.ts";
import {
  newDirectory,
  residentMegabytes,
  type ServerProcess,
  startProcess,
} from "../support/server-process.test-support.ts";
import { configMaps, type MalformedRequest } from "./malformed.test-support.ts";
import { malformedEncodings } from "./malformed-encodings.test-support.ts";
import { malformedHttp1 } from "./malformed-http1.test-support.ts";
import { malformedHttp2 } from "./malformed-http2.test-support.ts";
import { malformedJson } from "./malformed-json.test-support.ts";
import { malformedPatches } from "./malformed-patches.test-support.ts";
import { malformedPaths } from "./malformed-paths.test-support.ts";
import { malformedQueries } from "./malformed-queries.test-support.ts";
import { type RawTarget, rawHttp1, rawSocket, said } from "./raw-http1.test-support.ts";
import { rawHttp2 } from "./raw-http2.test-support.ts";

const directory = newDirectory();
let server: ServerProcess;
let target: RawTarget;
let http1: HttpsClient;
let http2: ClientHttp2Session;
/** A client that does everything right, on a connection of its own. */
let bystander: HttpsClient;
const waits: number[] = [];

beforeAll(async () => {
  server = await startProcess(directory.data);
  const pki = (name: string): string => readFileSync(join(directory.data, "pki", name), "utf8");
  const identity = { cert: pki("admin.crt"), key: pki("admin.key") };
  target = { port: server.port, ca: pki("ca.crt"), identity };
  http1 = adminOf(directory.data, server.port);
  bystander = adminOf(directory.data, server.port);
  http2 = connect(`https://127.0.0.1:${server.port}`, { ca: target.ca, ...identity });
  const body = { metadata: { name: "a" }, data: { k: "v" } };
  expect((await http1.call("POST", configMaps, { body })).status).toBe(201);
}, 120_000);

afterAll(async () => {
  http1.close();
  bystander.close();
  http2.destroy();
  // What some connections are left with would keep an orderly stop waiting.
  await server.end("SIGKILL");
  directory.remove();
});

/** Asks for something right while something wrong goes on. */
async function alongside<T>(wrong: Promise<T>): Promise<T> {
  const from = performance.now();
  const { status } = await bystander.call("GET", `${configMaps}/a`);
  waits.push(performance.now() - from);
  expect(status).toBe(200);
  return wrong;
}

/** What was wanted of an answer, so that the two can be compared whole. */
function meant(wanted: string, seen: string): string {
  if (!wanted.endsWith("…")) return wanted.split("|").includes(seen) ? seen : wanted;
  return seen.startsWith(wanted.slice(0, -1)) ? seen : wanted;
}

test.each([
  ...malformedJson,
  ...malformedEncodings,
  ...malformedPatches,
  ...malformedQueries,
  ...malformedPaths,
])("over both versions of HTTP: %s (%s)", async (_, method, path, request, wanted) => {
  const first = await alongside(overHttp1(method, path, request));
  expect(first).toBe(meant(wanted, first));
  expect(await overHttp2(method, path, request)).toBe(first);
});

test.each(malformedHttp1.map((row) => ({ title: row[0], row })))(
  "HTTP/1.1: $title",
  async ({ row }) => {
    const [, wanted, parts, options] = row;
    const seen = await alongside(rawHttp1(target, parts, options));
    expect(seen).toBe(meant(wanted, seen));
  },
);

test.each(malformedHttp2)("HTTP/2: %s", async (_, wanted, frames) => {
  const seen = await alongside(rawHttp2(target, Buffer.concat(frames)));
  expect(seen).toBe(meant(wanted, seen));
});

test("a connection without TLS is closed", async () => {
  const socket = connectPlain(server.port, "127.0.0.1");
  socket.on("error", () => {});
  socket.end("GET /version HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(socket, "close");
});

test("clients that send or read slowly do not affect others", async () => {
  const big = { metadata: { name: "big" }, data: { k: "v".repeat(900_000) } };
  expect((await http1.call("POST", configMaps, { body: big })).status).toBe(201);
  const before = residentMegabytes(server.pid);
  const slow = await Promise.all([
    ...Array.from({ length: 20 }, () => rawSocket(target, "http/1.1")),
    ...Array.from({ length: 20 }, () => rawSocket(target, "http/1.1")),
    ...Array.from({ length: 20 }, () => rawSocket(target, "http/1.1")),
  ]);
  for (const [n, socket] of slow.entries()) {
    socket.on("error", () => {});
    if (n < 20) socket.write("GET /version HTTP/1.1\r\nHost: x\r\nX-A: ");
    else if (n < 40)
      socket.write(`POST ${configMaps} HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\n{`);
    else {
      socket.pause();
      const list = `GET ${configMaps} HTTP/1.1\r\nHost: x\r\n\r\n`;
      socket.write(list.repeat(10));
    }
  }
  for (let i = 0; i < 100; i++) await alongside(Promise.resolve());
  expect(residentMegabytes(server.pid) - before).toBeLessThan(150);
  for (const socket of slow) socket.destroy();
  expect((await http1.call("DELETE", `${configMaps}/big`)).status).toBe(200);
});

test("after all of these requests nothing was created, and neither memory nor latency has grown", async () => {
  const { body } = await bystander.call("GET", configMaps);
  expect(body.items.map(({ metadata }) => metadata.name)).toEqual(["a"]);
  const sorted = [...waits].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  expect(sorted.length).toBeGreaterThan(400);
  expect(at(0.5)).toBeLessThan(50);
  expect(at(0.99)).toBeLessThan(500);
  expect(residentMegabytes(server.pid)).toBeLessThan(350);
  expect(server.output()).not.toContain("request failed");
});

async function overHttp1(
  method: string,
  path: string,
  { type, headers, body }: MalformedRequest,
): Promise<string> {
  const all = { ...(type !== undefined && { "content-type": type }), ...headers };
  const answer = await http1.call(method, path, { headers: all, body });
  return `${answer.status} ${said(answer.text)}`.trim();
}

async function overHttp2(
  method: string,
  path: string,
  { type = "application/json", headers, body }: MalformedRequest,
): Promise<string> {
  const head = { ":method": method, ":path": path, "content-type": type, ...headers };
  const stream = http2.request(head, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  const [answer] = (await once(stream, "response")) as [IncomingHttpHeaders];
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk as Uint8Array);
  return `${answer[":status"]} ${said(Buffer.concat(chunks).toString())}`.trim();
}
