import { type Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest, Agent as SecureAgent } from "node:https";
import { stringifyJson } from "../schema/strict-json.ts";
import { type Transport, TransportError, type TransportRequest } from "./transport.ts";

/** HTTP/1.1 to a port of this machine, as plain as can be; over TLS where the agent speaks it. */
export const http1Transport =
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
    const open = agent instanceof SecureAgent ? httpsRequest : httpRequest;
    open({ ...target, method, headers, ...(signal && { signal }) }, resolve)
      .on("error", reject)
      .end(bytes);
  });
}
