import { withDeadline } from "../../base/clock.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { User } from "../request/identity.ts";
import type { ApiBody, ApiRequest } from "../request/request.ts";
import { proxyToApi } from "./proxy-to-api.ts";
import type { RemoteApi } from "./remote-api.ts";
import type { RemoteServers } from "./remote-servers.ts";

/** A document that a server publishes. */
export interface FetchedDocument {
  readonly status: number;
  /** The names are in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly text: string;
}

export interface DocumentRequest {
  readonly path: string;
  readonly accept: string;
  /** The etag of a document that is known already. */
  readonly known?: string | undefined;
  readonly user: User;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Fetches a document from the server of an API; a server that is not available is not called. */
export function fetchDocument(
  api: RemoteApi,
  servers: RemoteServers,
  { path, accept, known = "", user, timeoutMs: ms, signal }: DocumentRequest,
): Promise<FetchedDocument> {
  const { clock } = servers.parts;
  return withDeadline({ clock, ms, signal }, async (until) => {
    const request: ApiRequest = {
      method: "GET",
      path,
      query: "",
      headers: { accept, ...(known !== "" && { "if-none-match": known }) },
      body: undefined,
      peer: undefined,
      remoteAddress: "",
      signal: until,
    };
    const caller = { user, auditId: servers.parts.entropy.uuid() };
    const { status, headers, body } = await proxyToApi(request, { api, caller }, servers);
    return { status, headers, text: await textOf(body) };
  });
}

/** The first value of a header of a document. */
export const headerIn = ({ headers }: Pick<FetchedDocument, "headers">, name: string): string =>
  [headers[name] ?? ""].flat()[0] ?? "";

/** The error for a document that could not be fetched. */
export const notFetched = (path: string, { status, text }: FetchedDocument): Error =>
  new Error(`cannot fetch ${path}: status ${status}: ${text.slice(0, 200).trim()}`);

/** Parses a document that another server wrote. */
export function parseDocument(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`${path} is not JSON: ${errorMessage(cause)}`, { cause });
  }
}

const largest = 64 * 2 ** 20;

async function textOf(body: ApiBody): Promise<string> {
  if (typeof body === "string") return body;
  if (typeof body !== "object" || !(Symbol.asyncIterator in body)) return "";
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of body) {
    text += typeof piece === "string" ? piece : decoder.decode(piece, { stream: true });
    if (text.length > largest) throw new Error(`a document is larger than ${largest} bytes`);
  }
  return text + decoder.decode();
}
