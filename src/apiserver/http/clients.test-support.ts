import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders } from "node:http2";
import { Agent, get, type RequestOptions, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { noLog } from "../../base/log.ts";
import { ensurePki, type KeyPair, type Pki } from "../../platform/pki/pki.ts";
import type {
  ApiBody,
  ApiRequest,
  ApiResponse,
  Handler,
  Sink,
  StreamBody,
} from "../request/request.ts";
import type { Limits } from "./limits.ts";
import { type Listener, listen } from "./listen.ts";

/** Servers for tests, and clients of both versions of HTTP; whatever they open is closed with the test. */

/** The key material of every server here. */
export const pki = await makePki();

/** Key material that no other has signed. */
export async function makePki(): Promise<Pki> {
  const dir = mkdtempSync(join(tmpdir(), "wherry-http-"));
  try {
    return await ensurePki(dir, { now: new Date() });
  } finally {
    rmSync(dir, { recursive: true });
  }
}

export async function start(
  handler: Handler,
  limits: Partial<Limits> = {},
  now = Date.now,
): Promise<Listener> {
  const tls = { ...pki.apiserver, ca: pki.ca.cert };
  const address = { host: "127.0.0.1", port: 0 };
  const listener = await listen({ ...address, tls, handler, log: noLog, limits, now });
  onTestFinished(() => listener.close(0));
  return listener;
}

export interface Call {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: Uint8Array | string;
  readonly identity?: KeyPair;
}

export interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

export function openSession(port: number, identity?: KeyPair): ClientHttp2Session {
  // Node's client counts what it has yet to send, and refuses the answer when that is too much.
  const options = { ca: pki.ca.cert, maxSessionMemory: 1000, ...identity };
  const session = connect(`https://127.0.0.1:${port}`, options);
  session.on("error", () => {});
  onTestFinished(() => session.destroy());
  return session;
}

export async function callHttp2(port: number, call: Call): Promise<Answer> {
  const session = openSession(port, call.identity);
  const { method = "GET", path = "/", headers = {}, body } = call;
  const stream = session.request(
    { ":method": method, ":path": path, ...headers },
    { endStream: body === undefined },
  );
  if (body !== undefined) stream.end(body);
  const [head] = (await once(stream, "response")) as [IncomingHttpHeaders];
  let text = "";
  stream.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
  });
  await once(stream, "end");
  return { status: Number(head[":status"]), headers: head, body: text };
}

export function callHttp1(port: number, call: Call): Promise<Answer> {
  const { method = "GET", path = "/", headers = {}, body, identity } = call;
  const options: RequestOptions = { host: "127.0.0.1", port, ca: pki.ca.cert, agent: false };
  return new Promise((resolve, reject) => {
    const sent = request({ ...options, ...identity, method, path, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      response.on("error", reject).on("end", () => {
        resolve({ status: response.statusCode, headers: response.headers, body: text });
      });
    });
    sent.on("error", reject).end(body);
  });
}

export const versions = [
  ["HTTP/2", callHttp2],
  ["HTTP/1.1", callHttp1],
] as const;

const json = { "content-type": "application/json" };
export const ok = (body: ApiBody): ApiResponse => ({ status: 200, headers: json, body });

/** Answers with what the core was given. */
export const echo: Handler = (request: ApiRequest) => {
  const { method, path, query, body, peer, remoteAddress, headers } = request;
  const text = body && Buffer.from(body).toString();
  return ok(JSON.stringify({ method, path, query, text, peer, remoteAddress, x: headers["x-a"] }));
};

/** A stream that a test writes by hand. */
export function handStream() {
  const { promise: started, resolve } = deferred<Sink>();
  const { promise: stopped, resolve: stop } = deferred<void>();
  let stops = 0;
  const body: StreamBody = {
    start(sink) {
      resolve(sink);
      return () => {
        stops++;
        stop();
      };
    },
  };
  return { body, started, stopped, stops: () => stops };
}

export function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

export interface OpenAnswer {
  next(): Promise<string>;
  ended: Promise<unknown>;
  abandon(): void;
}

async function openHttp2(port: number): Promise<OpenAnswer> {
  const stream = openSession(port).request({ ":path": "/" });
  stream.on("error", () => {});
  await once(stream, "response");
  return {
    next: async () => String((await once(stream, "data"))[0]),
    ended: once(stream, "end"),
    abandon: () => stream.close(constants.NGHTTP2_CANCEL),
  };
}

function openHttp1(port: number): Promise<OpenAnswer> {
  return new Promise((resolve, reject) => {
    const agent = new Agent();
    const sent = get({ host: "127.0.0.1", port, ca: pki.ca.cert, agent }, (response) => {
      response.on("error", () => {});
      resolve({
        next: async () => String((await once(response, "data"))[0]),
        ended: once(response, "end"),
        abandon: () => response.destroy(),
      });
    });
    sent.on("error", reject);
  });
}

export const openers = [
  ["HTTP/2", openHttp2],
  ["HTTP/1.1", openHttp1],
] as const;
