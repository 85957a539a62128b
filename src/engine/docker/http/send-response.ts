import type { ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { errorMessage } from "../../../base/error-message.ts";
import type { DockerResponse } from "./docker-route.ts";

/** Sends a response that does not take over the connection. */
export async function sendResponse(
  response: ServerResponse,
  result: DockerResponse,
  signal: AbortSignal,
): Promise<void> {
  const { status, headers, json, text, stream } = result;
  for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
  if (stream) return sendStream({ response, status, stream, signal });
  const body = json === undefined ? text : `${JSON.stringify(json)}\n`;
  if (json !== undefined) response.setHeader("content-type", "application/json");
  if (body !== undefined) response.setHeader("content-length", Buffer.byteLength(body));
  response.writeHead(status);
  await new Promise<void>((resolve) => {
    response.once("close", resolve);
    response.end(body, () => resolve());
  });
}

/** The response of an error, as docker's own clients read it. */
export const sendError = (
  status: number,
  message: string,
  headers: Readonly<Record<string, string>>,
): DockerResponse =>
  status === 304 ? { status, headers } : { status, headers, json: { message } };

interface StreamedResponse {
  readonly response: ServerResponse;
  readonly status: number;
  readonly stream: NonNullable<DockerResponse["stream"]>;
  readonly signal: AbortSignal;
}

async function sendStream({ response, status, stream, signal }: StreamedResponse): Promise<void> {
  response.writeHead(status);
  response.flushHeaders();
  try {
    await stream({ write: (bytes) => writeFully(response, bytes), signal });
  } catch (error) {
    // The headers are sent: a broken body is all that tells the client, unless it is a stream of JSON messages.
    if (signal.aborted) return;
    if (String(response.getHeader("content-type")).startsWith("application/json")) {
      const message = errorMessage(error);
      response.end(`${JSON.stringify({ errorDetail: { message }, error: message })}\r\n`);
      return;
    }
    response.destroy();
    return;
  }
  response.end();
}

/** Writes bytes; resolves when more can be written, or when the other side is gone. */
export function writeFully(output: Writable, bytes: Uint8Array | string): Promise<void> {
  if (output.destroyed || output.writableEnded) return Promise.resolve();
  if (output.write(bytes)) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      output.off("drain", done);
      output.off("close", done);
      resolve();
    };
    output.on("drain", done);
    output.on("close", done);
  });
}
