import { readFileSync } from "node:fs";
import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { Agent, request } from "node:https";
import { join } from "node:path";
import type { KeyPair } from "../../src/platform/pki/pki.ts";

/** The JSON that the API answers with: the members that tests look at by name. */
export interface Body {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly items: readonly Body[];
  readonly message?: string;
  readonly reason?: string;
}

export interface HttpsAnswer {
  readonly status: number;
  readonly text: string;
  readonly body: Body;
}

export interface HttpsCall {
  readonly headers?: OutgoingHttpHeaders;
  /** A string or bytes as they stand, anything else as JSON. */
  readonly body?: unknown;
}

/** Sends requests over connections that it keeps. */
export interface HttpsClient {
  call(method: string, path: string, call?: HttpsCall): Promise<HttpsAnswer>;
  /** Sends a request and gives the answer when its headers are there. */
  open(method: string, path: string, call?: HttpsCall): Promise<IncomingMessage>;
  close(): void;
}

/** A client of the server on a port, with a certificate or without one. */
export function httpsClient(port: number, ca: string, identity?: KeyPair): HttpsClient {
  const agent = new Agent({ keepAlive: true, ca, ...identity });
  const open = (method: string, path: string, { headers = {}, body }: HttpsCall = {}) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const bytes = bytesOf(body);
      const known = bytes && {
        "content-type": "application/json",
        "content-length": bytes.length,
      };
      const all = { ...known, ...headers };
      request({ host: "127.0.0.1", port, agent, method, path, headers: all }, resolve)
        .on("error", reject)
        .end(bytes);
    });
  return {
    open,
    async call(method, path, call) {
      const response = await open(method, path, call);
      const chunks: Uint8Array[] = [];
      for await (const chunk of response) chunks.push(chunk as Uint8Array);
      const text = Buffer.concat(chunks).toString();
      return { status: response.statusCode ?? 0, text, body: parsed(text) };
    },
    close: () => agent.destroy(),
  };
}

/** The administrator of the server on a data directory. */
export function adminOf(dir: string, port: number): HttpsClient {
  const pki = (name: string): string => readFileSync(join(dir, "pki", name), "utf8");
  return httpsClient(port, pki("ca.crt"), { cert: pki("admin.crt"), key: pki("admin.key") });
}

function bytesOf(body: unknown): Uint8Array | undefined {
  if (body === undefined || body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

function parsed(text: string): Body {
  try {
    return JSON.parse(text) as Body;
  } catch {
    return {} as Body;
  }
}
