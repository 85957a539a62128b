import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { type Answer, exchange, open, type Request } from "./apiserver-client.ts";

export type Protocol = "HTTP/1.1" | "HTTP/2";

/** A client of one server, whatever the protocol. */
export interface Connection {
  ask(request: Request): Promise<Answer>;
  close(): void;
}

/** Connects over TLS, with a socket for each request in flight, or with one for all; as the administrator, or over HTTP/1.1 with a token. */
export function connectBy(
  protocol: Protocol,
  port: number,
  pki: string,
  token?: string,
): Connection {
  if (protocol === "HTTP/1.1") return http1(port, pki, token);
  const session = open(port, pki);
  return { ask: (asked) => exchange(session, asked), close: () => session.close() };
}

function http1(port: number, pki: string, token?: string): Connection {
  const agent = new Agent({
    keepAlive: true,
    ca: readFileSync(`${pki}/ca.crt`),
    ...(token === undefined && {
      cert: readFileSync(`${pki}/admin.crt`),
      key: readFileSync(`${pki}/admin.key`),
    }),
  });
  const ask = (asked: Request): Promise<Answer> =>
    new Promise<Answer>((resolve, reject) => {
      const { method, path, body } = asked;
      const { contentType = "application/json", accept = "application/json" } = asked;
      const text = body && JSON.stringify(body);
      const headers = {
        accept,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(text && { "content-type": contentType, "content-length": Buffer.byteLength(text) }),
      };
      const options = { agent, host: "127.0.0.1", port, method, path, headers };
      const sent = request(options, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, chunks }));
        response.on("error", reject);
      });
      sent.on("error", (error: NodeJS.ErrnoException) => {
        // The server had closed a connection on which nothing was asked for a while.
        if (sent.reusedSocket && error.code === "ECONNRESET") resolve(ask(asked));
        else reject(error);
      });
      sent.end(text);
    });
  return { ask, close: () => agent.destroy() };
}
