import type { IncomingMessage } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import { pki } from "../apiserver/http/clients.test-support.ts";
import { listen } from "../apiserver/http/server.ts";
import { noLog } from "../base/log.ts";
import { type Transport, TransportError, type TransportRequest } from "../client/transport.ts";
import { stringifyJson } from "../schema/strict-json.ts";
import type { Connect } from "./client-harness.test-support.ts";

/** HTTP/1.1 over TLS to a server on a port of this machine, as an administrator. */
export const overHttp1: Connect = async (handler) => {
  const tls = { ...pki.apiserver, ca: pki.ca.cert };
  const listener = await listen({ host: "127.0.0.1", port: 0, tls, handler, log: noLog });
  const agent = new Agent({ keepAlive: true, ca: pki.ca.cert, ...pki.admin });
  return {
    transport: http1Transport(listener.port, agent),
    async close() {
      agent.destroy();
      await listener.close(0);
    },
  };
};

const http1Transport =
  (port: number, agent: Agent): Transport =>
  async (request) => {
    const { signal } = request;
    signal?.throwIfAborted();
    const response = await sent(port, agent, request).catch((cause: unknown) => {
      signal?.throwIfAborted();
      throw new TransportError("no answer", { cause });
    });
    const chunks = async function* () {
      try {
        for await (const chunk of response) yield chunk as Uint8Array;
      } catch (cause) {
        signal?.throwIfAborted();
        throw new TransportError("the connection broke", { cause });
      } finally {
        response.destroy();
      }
    };
    return {
      status: response.statusCode ?? 0,
      headers: { ...response.headers, warning: response.headersDistinct.warning },
      bytes: chunks,
      async value() {
        const parts: Uint8Array[] = [];
        for await (const chunk of chunks()) parts.push(chunk);
        const text = Buffer.concat(parts).toString();
        const isJson = response.headers["content-type"]?.startsWith("application/json");
        return isJson && text !== "" ? (JSON.parse(text) as unknown) : text || undefined;
      },
      async *values() {
        const decoder = new TextDecoder();
        let rest = "";
        for await (const chunk of chunks()) {
          const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
          rest = lines.pop() ?? "";
          if (lines.length > 0) yield lines.map((line) => JSON.parse(line) as unknown);
        }
        if (rest !== "") throw new TransportError("the stream broke off in a value");
      },
    };
  };

function sent(port: number, agent: Agent, request: TransportRequest): Promise<IncomingMessage> {
  const { method, path, query, body, signal } = request;
  const given = typeof body === "string" || body instanceof Uint8Array ? body : undefined;
  const bytes = body === undefined ? undefined : Buffer.from(given ?? stringifyJson(body));
  const headers = {
    accept: "application/json",
    ...(bytes && { "content-type": "application/json", "content-length": bytes.length }),
    ...(request.headers as Record<string, string | string[]>),
  };
  const target = { host: "127.0.0.1", port, agent, path: query ? `${path}?${query}` : path };
  return new Promise((resolve, reject) => {
    httpsRequest({ ...target, method, headers, ...(signal && { signal }) }, resolve)
      .on("error", reject)
      .end(bytes);
  });
}
