import { expect } from "vitest";
import { type Log, noLog } from "../../base/log.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { MemoryStore } from "../../store/memory/memory-store.ts";
import { openServer, send, type TestAnswer, toApiRequest } from "../in-process.test-support.ts";
import type { ApiServerOptions } from "../server-options.ts";
import type { TokenIssuer } from "./service-account-tokens.ts";
import { testKey } from "./token-issuer.test-support.ts";

export const key = testKey("ES256");
/** One that signs no more, but whose tokens are still accepted. */
export const oldKey = testKey("RS256");
export const issuer: TokenIssuer = {
  issuers: ["https://issuer", "https://old"],
  audiences: ["api", "vault"],
  signer: key,
  keys: [key, oldKey],
};
/** When the servers start, in seconds since 1970. */
export const start = Date.UTC(2026, 0, 1) / 1000;

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into as tests please
type Json = any;

/** A server with the service account `robot` in the namespace `default`, on a virtual clock. */
export async function openTokenServer(options: Partial<ApiServerOptions> = {}) {
  const clock = new VirtualClock(start * 1000);
  const logged: string[] = [];
  const note: Log["warn"] = (message, fields) => logged.push(JSON.stringify({ message, fields }));
  const error: Log["error"] = (message, cause, fields) =>
    logged.push(JSON.stringify({ message, cause: String(cause), fields }));
  const log = { ...noLog, debug: note, info: note, warn: note, error };
  const server = await openServer(clock, new MemoryStore(clock), {
    log,
    tokenIssuer: issuer,
    ...options,
  });

  const post = (path: string, body: object): Promise<TestAnswer> =>
    send(server, { method: "POST", path, body });
  const create = async (path: string, body: object): Promise<Json> => {
    const { status, text } = await post(path, body);
    if (status !== 201) expect.fail(`POST ${path}: ${status} ${text}`);
    return JSON.parse(text);
  };
  const robot = await create("/api/v1/namespaces/default/serviceaccounts", {
    metadata: { name: "robot" },
  });
  return {
    server,
    clock,
    logged,
    robot,
    post,
    create,
    /** Asks for a token of the robot. */
    request: (spec: object = {}, metadata: object = {}): Promise<TestAnswer> =>
      post(tokenPath, { metadata, spec }),
    issue: async (spec: object = {}): Promise<string> =>
      (await create(tokenPath, { spec })).status.token,
    /** What a TokenReview says. */
    review: async (token: string, audiences: readonly string[] = []): Promise<Json> =>
      (await create("/apis/authentication.k8s.io/v1/tokenreviews", { spec: { token, audiences } }))
        .status,
    /** What the server answers to who shows this token alone. */
    show: async (token: string): Promise<{ readonly status: number; readonly body: Json }> => {
      const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
      const headers = { authorization: `Bearer ${token}` };
      const asked = toApiRequest({ method: "POST", path, headers, body: {} });
      const { status, body } = await server.handle({ ...asked, peer: undefined });
      return { status, body: JSON.parse(String(body)) };
    },
  };
}
export type TokenServer = Awaited<ReturnType<typeof openTokenServer>>;

export const tokenPath = "/api/v1/namespaces/default/serviceaccounts/robot/token";

/** The header (0) or the claims (1) of a token. */
export const partOf = (token: string, index: 0 | 1): Json =>
  JSON.parse(Buffer.from(token.split(".")[index] ?? "", "base64url").toString());

export const encodePart = (value: object): string =>
  Buffer.from(JSON.stringify(value)).toString("base64url");
