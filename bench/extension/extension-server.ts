import { join } from "node:path";
import { configMaps, type Request } from "../apiserver/apiserver-client.ts";
import { type Connection, connectBy } from "../apiserver/apiserver-http1.ts";
import { type Server, startWherry } from "../apiserver/apiserver-process.ts";

/** A server with a connection to it. */
export interface ExtendedServer {
  readonly server: Server;
  readonly connection: Connection;
  /** Sends a request; fails unless it succeeds. */
  send(request: Request): Promise<Buffer>;
}

export const namespace = "default";
export const settings = configMaps(namespace);

/** Starts a server whose data is in a directory. */
export async function startExtended(data: string): Promise<ExtendedServer> {
  const server = await startWherry(data);
  const connection = connectBy("HTTP/2", server.port, join(data, "pki"));
  return {
    server,
    connection,
    async send(request) {
      const { status, chunks } = await connection.ask(request);
      const body = Buffer.concat(chunks);
      if (status >= 300) throw new Error(`${request.path}: ${status}: ${body}`);
      return body;
    },
  };
}

/** Sends a request until its response is as expected: what extends a server takes effect after a moment. */
export async function until(
  { send }: Pick<ExtendedServer, "send">,
  request: Request,
  isExpected: (body: Buffer) => boolean,
): Promise<void> {
  const end = performance.now() + 30_000;
  for (;;) {
    const found = await send(request).then(isExpected, () => false);
    if (found) return;
    if (performance.now() > end) throw new Error(`${request.path} is not as expected`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export const mergePatch = (path: string, body: object): Request => ({
  method: "PATCH",
  path,
  body,
  contentType: "application/merge-patch+json",
});
