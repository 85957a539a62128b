import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A recorded request; `{{0.metadata.uid}}` stands for a field of an earlier response. */
export interface RecordedStep {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** A null header was not sent at all. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Strings were sent as they are, anything else as JSON. */
  readonly body?: unknown;
}

/** A request and the response of Kubernetes v1.36.4. */
export interface RecordedCase {
  readonly name: string;
  readonly request: RecordedStep;
  readonly response: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string | readonly string[]>>;
    /** A string if it was not a single JSON value. */
    readonly body?: unknown;
  };
}

/** A request that the server received. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

/** A server that sends recorded responses to any request. */
export interface RecordedServer {
  readonly url: string;
  /** Sends the response of a case from now on; returns the requests that arrive meanwhile. */
  play(response: RecordedCase["response"]): readonly ReceivedRequest[];
  close(): Promise<void>;
}

/** Starts a recorded server on a free port of the loopback interface. */
export async function recordedServer(): Promise<RecordedServer> {
  let answer: RecordedCase["response"] = { status: 500 };
  let received: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    received.push(await readRequest(request));
    const { status, headers = {}, body } = answer;
    for (const [name, value] of Object.entries(headers))
      response.setHeader(name, typeof value === "string" ? latin1(value) : value.map(latin1));
    response.statusCode = status;
    response.end(isText(body) ? body : `${JSON.stringify(body)}\n`);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    play(response) {
      answer = response;
      received = [];
      return received;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}

const isText = (body: unknown): body is string | undefined =>
  body === undefined || typeof body === "string";

async function readRequest(request: IncomingMessage): Promise<ReceivedRequest> {
  const parts: Uint8Array[] = [];
  for await (const chunk of request) parts.push(chunk as Uint8Array);
  const { method = "", url = "", headers } = request;
  const [path = "", ...query] = url.split("?");
  const groups = request.headersDistinct["impersonate-group"];
  return {
    method,
    path,
    query: query.join("?"),
    headers: { ...headers, ...(groups && { "impersonate-group": groups }) },
    text: Buffer.concat(parts).toString(),
  };
}

/** Node treats each character of a header as one byte. */
const latin1 = (text: string): string => Buffer.from(text).toString("latin1");
