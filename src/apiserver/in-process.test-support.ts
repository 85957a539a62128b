import { createHash } from "node:crypto";
import { verifySignature } from "../../test/verify-signature.ts";
import { kinds } from "../api/kinds.generated.ts";
import type { Clock } from "../base/clock.ts";
import { seededEntropy } from "../base/entropy.ts";
import { noLog } from "../base/log.ts";
import { SeededRandom } from "../base/random.ts";
import { MemoryStore } from "../store/memory/memory-store.ts";
import type { Store } from "../store/store.ts";
import { testTokenIssuer } from "./authentication/token-issuer.test-support.ts";
import type { ApiRequest, ApiResponse, Peer, StreamBody } from "./request/request.ts";
import { ApiServer } from "./server.ts";
import type { ApiServerOptions } from "./server-options.ts";

/** A request as tests write it. */
export interface TestRequest {
  readonly method?: string;
  /** Path and query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | null>>;
  /** A string is sent as it stands, anything else as JSON. */
  readonly body?: unknown;
  readonly peer?: Peer | undefined;
  readonly signal?: AbortSignal;
}
export interface TestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly text: string;
}

const version = {
  major: "1",
  minor: "36",
  emulationMajor: "1",
  emulationMinor: "36",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "35",
  gitVersion: "v1.36.0",
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "none",
  compiler: "none",
  platform: "test",
};

export const admin: Peer = {
  commonName: "admin",
  organizations: ["system:masters"],
  fingerprint: "0123456789abcdef".repeat(4),
};

/** The machine's own clock, for tests that measure what clients wait for. */
export const wallClock: Clock = {
  now: () => Date.now(),
  setTimer(ms, fire) {
    const timer = setTimeout(fire, ms);
    return { cancel: () => clearTimeout(timer) };
  },
};

/** An API server in this process, on a memory store. */
export async function openServer(
  clock: Clock,
  store: Store = new MemoryStore(clock),
  options: Partial<ApiServerOptions> = {},
): Promise<ApiServer> {
  const random = new SeededRandom(1);
  return ApiServer.open({
    store,
    kinds,
    clock,
    entropy: seededEntropy(random),
    random,
    log: noLog,
    sha256: (text) => createHash("sha256").update(text).digest(),
    verifySignature,
    version,
    address: () => "127.0.0.1:6443",
    tokenIssuer: testTokenIssuer(),
    ...options,
  });
}

/** Sends a request to the core and collects the answer; a watch until it ends by itself. */
export async function send(server: ApiServer, request: TestRequest): Promise<TestAnswer> {
  const response = await server.handle(toApiRequest(request));
  const headers: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(response.headers)) headers[name] = value;
  return { status: response.status, headers, text: await collect(response) };
}

export function toApiRequest({
  method = "GET",
  path,
  headers = {},
  body,
  peer = admin,
  signal,
}: TestRequest): ApiRequest {
  const all: Record<string, string> = { accept: "application/json" };
  if (body !== undefined) all["content-type"] = "application/json";
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) delete all[name.toLowerCase()];
    else all[name.toLowerCase()] = value;
  }
  const [bare = "", ...query] = path.split("?");
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return {
    method,
    path: bare,
    query: query.join("?"),
    headers: all,
    body: body === undefined ? undefined : new TextEncoder().encode(text),
    peer,
    remoteAddress: "127.0.0.1",
    signal: signal ?? new AbortController().signal,
  };
}

async function collect({ body }: ApiResponse): Promise<string> {
  if (body === undefined) return "";
  if (isStream(body)) return stream(body);
  const chunks: (Uint8Array | string)[] = [];
  if (typeof body === "string" || body instanceof Uint8Array) chunks.push(body);
  else for await (const chunk of body) chunks.push(chunk);
  return chunks.map(textOf).join("");
}

const isStream = (body: ApiResponse["body"]): body is StreamBody =>
  typeof body === "object" && body !== null && "start" in body;

const textOf = (chunk: Uint8Array | string): string =>
  typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk);

function stream(body: StreamBody): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    body.start({
      write(chunk) {
        text += textOf(chunk);
        return true;
      },
      end: () => resolve(text),
      onDrain: () => {},
    });
  });
}
