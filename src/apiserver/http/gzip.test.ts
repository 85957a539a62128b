import { get } from "node:https";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { ApiResponse } from "../request/request.ts";
import { type Call, deferred, openSession, pki, start } from "./clients.test-support.ts";
import { gzipHeaders, wantsGzip } from "./gzip.ts";

const json = { "content-type": "application/json" };
const kib = 1024;
const gzip = { "accept-encoding": "gzip" };

test.each([
  ["a large object", json, "/api/v1/pods", gzip, 128 * kib + 1, true],
  ["one that is just not large", json, "/api/v1/pods", gzip, 128 * kib, false],
  ["a client that does not ask", json, "/api/v1/pods", {}, 200 * kib, false],
  [
    "one that asks for several",
    json,
    "/apis",
    { "accept-encoding": "br, gzip ,deflate" },
    200 * kib,
    true,
  ],
  [
    "one with preferences, which are not read",
    json,
    "/apis",
    { "accept-encoding": "gzip;q=1" },
    200 * kib,
    false,
  ],
  ["YAML", { "content-type": "application/yaml" }, "/api/v1/pods", gzip, 200 * kib, true],
  [
    "protobuf",
    { "content-type": "application/vnd.kubernetes.protobuf" },
    "/api/v1/pods",
    gzip,
    200 * kib,
    true,
  ],
  ["a log", { "content-type": "text/plain" }, "/log", gzip, 200 * kib, false],
  ["OpenAPI 2", json, "/openapi/v2", gzip, 200 * kib, true],
  ["OpenAPI 3", json, "/openapi/v3/api/v1", gzip, 200 * kib, false],
  [
    "metrics",
    { "content-type": "text/plain; version=0.0.4; charset=utf-8; escaping=underscores" },
    "/metrics",
    gzip,
    1,
    true,
  ],
  [
    "a response that is encoded already",
    { ...json, "content-encoding": "gzip" },
    "/api",
    gzip,
    200 * kib,
    false,
  ],
] as const)("wantsGzip: %s", (_, headers, path, asked, size, wanted) => {
  expect(wantsGzip({ path, asked, headers, size })).toEqual(wanted);
});

test("gzipHeaders: Accept-Encoding is added to an existing Vary header", () => {
  expect(gzipHeaders({ ...json, vary: "Accept" })).toEqual({
    ...json,
    vary: ["Accept", "Accept-Encoding"],
    "content-encoding": "gzip",
  });
});

/** A list of many pieces, of several megabytes. */
const pieces = Array.from(
  { length: 20_000 },
  (_, i) => `{"number":${i},"text":"${"ü".repeat(50)}"}`,
);
const response: ApiResponse = { status: 200, headers: json, body: pieces };
const whole = pieces.join("");

interface RawAnswer {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

function rawHttp1(port: number, { headers = {} }: Call): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, ca: pki.ca.cert, agent: false, headers };
    get(options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", reject);
      answer.on("end", () => resolve({ headers: answer.headers, body: Buffer.concat(chunks) }));
    }).on("error", reject);
  });
}

function rawHttp2(port: number, { headers = {} }: Call): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const stream = openSession(port).request({ ":path": "/", ...headers });
    let head: Readonly<Record<string, unknown>> = {};
    const chunks: Buffer[] = [];
    stream.on("response", (received) => {
      head = received;
    });
    stream.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", reject);
    stream.on("end", () => resolve({ headers: head, body: Buffer.concat(chunks) }));
  });
}

const clients = [
  ["HTTP/2", rawHttp2],
  ["HTTP/1.1", rawHttp1],
] as const;

test.each(clients)(
  "listen: %s: a large response is compressed for clients that accept it",
  async (_, call) => {
    const { port } = await start(() => response);
    const { headers, body } = await call(port, { headers: gzip });
    expect([headers["content-encoding"], headers.vary, headers["content-length"]]).toEqual([
      "gzip",
      "Accept-Encoding",
      undefined,
    ]);
    expect(body.length).toBeLessThan(whole.length / 4);
    expect(gunzipSync(body).toString() === whole).toEqual(true);
  },
);

test.each(clients)(
  "listen: %s: a large response is not compressed for other clients",
  async (_, call) => {
    const { port } = await start(() => response);
    const { headers, body } = await call(port, {});
    expect([headers["content-encoding"], headers["content-length"]]).toEqual([
      undefined,
      String(Buffer.byteLength(whole)),
    ]);
    expect(body.toString() === whole).toEqual(true);
  },
);

test.each(clients)(
  "close: %s: a response that is being compressed is sent completely",
  async (_, call) => {
    const { promise: answered, resolve } = deferred<void>();
    const listener = await start(() => {
      setImmediate(resolve);
      return response;
    });
    const called = call(listener.port, { headers: gzip });
    await answered;
    const closed = listener.close();
    expect(gunzipSync((await called).body).toString() === whole).toEqual(true);
    await closed;
  },
);
