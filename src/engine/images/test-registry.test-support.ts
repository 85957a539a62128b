import { createHash, randomUUID } from "node:crypto";
import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { digestOf } from "./digest.ts";
import type { BuiltImage } from "./oci-image.test-support.ts";

/** A registry on the loopback interface that serves what it was given, and misbehaves as it is told. */
export interface TestRegistry {
  /** `127.0.0.1:PORT` */
  readonly host: string;
  readonly blobs: Map<string, Buffer>;
  /** By `REPOSITORY:TAG`. */
  readonly tags: Map<string, string>;
  /** The requests so far: `GET /v2/…`. */
  readonly requests: string[];
  /** Their headers, in the same order. */
  readonly headers: http.IncomingHttpHeaders[];
  /** Stores an image under a name: `app:1`. */
  add(name: string, image: BuiltImage): void;
  /** Stores a document under a name. */
  addManifest(name: string, document: unknown): string;
}

export interface TestRegistryOptions {
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
  /** What callers must prove. */
  readonly auth?: "basic" | "token" | undefined;
  /** With `auth`: who may call, as `user:password`; without it, anonymous tokens do. */
  readonly user?: string | undefined;
  readonly identityToken?: string | undefined;
  /** Whether HEAD says the digest; by default it does. */
  readonly hidesDigest?: boolean | undefined;
  /** Called for every request before it is served; true means that it was dealt with. */
  readonly intercept?: ((exchange: Exchange) => boolean) | undefined;
}

export interface Exchange {
  readonly request: http.IncomingMessage;
  readonly response: http.ServerResponse;
  readonly url: URL;
  /** The blob that is asked for. */
  readonly blob: Buffer | undefined;
}

export async function startRegistry(options: TestRegistryOptions = {}): Promise<TestRegistry> {
  const registry = {
    host: "",
    blobs: new Map<string, Buffer>(),
    tags: new Map<string, string>(),
    requests: [] as string[],
    headers: [] as http.IncomingHttpHeaders[],
    add(name: string, image: BuiltImage) {
      for (const [digest, bytes] of image.blobs) registry.blobs.set(digest, bytes);
      registry.tags.set(name, image.manifest);
    },
    addManifest(name: string, document: unknown) {
      const bytes = Buffer.from(typeof document === "string" ? document : JSON.stringify(document));
      registry.blobs.set(digestOf(bytes), bytes);
      registry.tags.set(name, digestOf(bytes));
      return digestOf(bytes);
    },
  };
  const serve = (request: http.IncomingMessage, response: http.ServerResponse): void => {
    const url = new URL(request.url ?? "/", `http://${registry.host}`);
    registry.requests.push(`${request.method} ${url.pathname}`);
    registry.headers.push(request.headers);
    const digest = /\/(?:blobs|manifests)\/(sha256:[0-9a-f]+)$/.exec(url.pathname)?.[1];
    const blob = digest === undefined ? undefined : registry.blobs.get(digest);
    if (options.intercept?.({ request, response, url, blob })) return;
    if (url.pathname === "/token") return void serveToken(request, response, options);
    if (isAllowed(request, options)) serveRegistry({ request, response, url, registry, options });
    else challenge(response, registry.host, options);
  };
  const server = options.tls
    ? https.createServer({ ...options.tls }, serve)
    : http.createServer(serve);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  registry.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return registry;
}

const testToken = "the-token";

function isAllowed(
  request: http.IncomingMessage,
  { auth, user = "" }: TestRegistryOptions,
): boolean {
  if (auth === undefined) return true;
  const expected =
    auth === "token" ? `Bearer ${testToken}` : `Basic ${Buffer.from(user).toString("base64")}`;
  return request.headers.authorization === expected;
}

function challenge(
  response: http.ServerResponse,
  host: string,
  { auth, tls }: TestRegistryOptions,
): void {
  const error =
    response.req.headers.authorization === undefined ? "" : ',error="insufficient_scope"';
  const header =
    auth === "basic"
      ? 'Basic realm="test"'
      : `Bearer realm="${tls ? "https" : "http"}://${host}/token",service="test",scope="repository:app:pull"${error}`;
  response.writeHead(401, { "WWW-Authenticate": header });
  response.end('{"errors":[{"code":"UNAUTHORIZED","message":"authentication required"}]}');
}

async function serveToken(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  { user, identityToken }: TestRegistryOptions,
): Promise<void> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  const basic = user && `Basic ${Buffer.from(user).toString("base64")}`;
  const isKnown =
    identityToken === undefined
      ? basic === undefined || request.headers.authorization === basic
      : new URLSearchParams(body).get("refresh_token") === identityToken;
  if (isKnown) response.end(JSON.stringify({ token: testToken, expires_in: 300 }));
  else response.writeHead(401).end();
}

interface Serving {
  readonly request: http.IncomingMessage;
  readonly response: http.ServerResponse;
  readonly url: URL;
  readonly registry: TestRegistry;
  readonly options: TestRegistryOptions;
}

function serveRegistry(serving: Serving): void {
  const { request, response, url, registry, options } = serving;
  if (url.pathname === "/v2/") return void response.end("{}");
  const [, repository, kind, object = ""] =
    /^\/v2\/(.+)\/(manifests|blobs)\/(.*)$/.exec(url.pathname) ?? [];
  if (object.startsWith("uploads/")) return void serveUpload(serving);
  if (request.method === "PUT") return void storeManifest(serving, `${repository}:${object}`);
  const digest = object.startsWith("sha256:")
    ? object
    : registry.tags.get(`${repository}:${object}`);
  const bytes = digest === undefined ? undefined : registry.blobs.get(digest);
  if (digest === undefined || bytes === undefined) {
    response.writeHead(404);
    response.end('{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}');
    return;
  }
  const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
  const type = kind === "manifests" ? mediaTypeOf(bytes) : "application/octet-stream";
  response.writeHead(start > 0 ? 206 : 200, {
    "Content-Type": type,
    "Content-Length": bytes.length - start,
    ...(options.hidesDigest ? {} : { "Docker-Content-Digest": digest }),
    ...(start > 0 ? { "Content-Range": `bytes ${start}-${bytes.length - 1}/${bytes.length}` } : {}),
  });
  response.end(request.method === "HEAD" ? undefined : bytes.subarray(start));
}

function mediaTypeOf(bytes: Buffer): string {
  const document = JSON.parse(bytes.toString()) as { mediaType?: string };
  return document.mediaType ?? "application/json";
}

const uploads = new Map<string, Buffer>();

async function serveUpload({ request, response, url, registry }: Serving): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  if (request.method === "POST") {
    const id = randomUUID();
    uploads.set(id, Buffer.alloc(0));
    response.writeHead(202, { Location: `${url.pathname}${id}?state=1` }).end();
    return;
  }
  const id = url.pathname.slice(url.pathname.lastIndexOf("/") + 1);
  const bytes = Buffer.concat([uploads.get(id) ?? Buffer.alloc(0), ...chunks]);
  uploads.set(id, bytes);
  if (request.method === "PATCH") {
    const range = `0-${bytes.length - 1}`;
    response.writeHead(202, { Location: `${url.pathname}?state=2`, Range: range }).end();
    return;
  }
  const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  if (digest !== url.searchParams.get("digest")) return void response.writeHead(400).end();
  registry.blobs.set(digest, bytes);
  uploads.delete(id);
  response.writeHead(201, { "Docker-Content-Digest": digest }).end();
}

async function storeManifest(
  { request, response, registry }: Serving,
  name: string,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const digest = registry.addManifest(name, Buffer.concat(chunks).toString());
  response.writeHead(201, { "Docker-Content-Digest": digest }).end();
}
