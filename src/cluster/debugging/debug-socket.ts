import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { DebugPages } from "../../apiserver/documents/documents.ts";
import type { ApiResponse } from "../../apiserver/request/request.ts";
import { textResponse } from "../../apiserver/request/respond.ts";
import type { Log } from "../../base/log.ts";
import { listenUnix } from "../../platform/listen-unix.ts";

/** Serves pages at a Unix socket, which only its owner may use; callers are not authenticated. */
export async function openDebugSocket(
  path: string,
  { pages, log }: { readonly pages: DebugPages; readonly log: Log },
): Promise<{ close(): Promise<void> }> {
  const server = createServer((request, response) => {
    respond(request, response, pages).catch((error: unknown) => {
      log.error("a request to the debug socket failed", error, { path: request.url });
      response.destroy();
    });
  });
  try {
    await listenUnix(server, path);
  } catch (cause) {
    throw new Error(`cannot listen at ${path}, given by --debug-socket-path`, { cause });
  }
  return {
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  pages: DebugPages,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const { status, headers, body } = await responseTo(request, { pages, signal: gone.signal });
  response.writeHead(status, headers as Record<string, string>);
  if (typeof body === "string" || body instanceof Uint8Array) response.end(body);
  else if (body && Symbol.asyncIterator in body) await pipeline(Readable.from(body), response);
  else response.end();
}

async function responseTo(
  { url = "/", method = "GET" }: IncomingMessage,
  { pages, signal }: { readonly pages: DebugPages; readonly signal: AbortSignal },
): Promise<ApiResponse> {
  const [path = "", ...query] = url.split("?");
  const found = await pages({
    ...{ method, path, query: query.join("?"), headers: {}, body: undefined },
    ...{ peer: undefined, remoteAddress: "", signal },
  });
  return found ?? textResponse(404, "404 page not found\n");
}
