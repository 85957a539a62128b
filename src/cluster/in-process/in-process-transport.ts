import type {
  ApiBody,
  ApiRequest,
  ApiResponse,
  Peer,
  StreamBody,
} from "../../apiserver/request/request.ts";
import { parseJsonText } from "../../client/json-text.ts";
import {
  defaultAccept,
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from "../../client/transport.ts";
import { stringifyJson } from "../../schema/json/strict-json.ts";
import { InProcessCall } from "./in-process-call.ts";
import { liveStream } from "./live-stream.ts";

/**
 * A transport into an API server of the same process, which calls as `peer`. Objects are passed without
 * encoding: those in responses are frozen and shared with the server, those in requests are copied by it.
 * Responses that are not JSON, such as logs and health, are text and bytes.
 */
export function inProcessTransport(
  handle: (request: ApiRequest) => Promise<ApiResponse>,
  peer: Peer,
): Transport {
  return async (request) => {
    request.signal?.throwIfAborted();
    const call = new InProcessCall(request.signal);
    const response = await call.unlessEnded(handle(apiRequest(request, peer, call)));
    if (isWhole(response)) call.release();
    return transportResponse(response, call);
  };
}

/** Whether a response is complete, without a stream. */
const isWhole = ({ value, values, body }: ApiResponse): boolean =>
  value !== undefined ||
  (!values && (typeof body !== "object" || body instanceof Uint8Array || Array.isArray(body)));

function apiRequest(
  { method, path, query, headers, body }: TransportRequest,
  peer: Peer,
  call: InProcessCall,
): ApiRequest {
  const joined: Record<string, string> = { accept: defaultAccept };
  let rawHeaders: string[] | undefined;
  for (const [name, value] of Object.entries(headers)) {
    joined[name] = typeof value === "string" ? value : value.join(", ");
    if (typeof value !== "string") rawHeaders ??= rawHeadersOf(headers);
  }
  if (body !== undefined) joined["content-type"] ??= "application/json";
  const isSent = typeof body === "string" || body instanceof Uint8Array;
  return {
    method,
    path,
    query,
    headers: joined,
    rawHeaders,
    body: isSent ? bytesOf(body) : undefined,
    ...(!isSent && body !== undefined && { value: body }),
    wantsValues: true,
    peer,
    remoteAddress: "127.0.0.1",
    get signal() {
      return call.signal;
    },
    abort: () => call.end(),
  };
}

const rawHeadersOf = (headers: TransportRequest["headers"]): string[] =>
  Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" ? [name, value] : value.flatMap((one) => [name, one]),
  );

function transportResponse(response: ApiResponse, call: InProcessCall): TransportResponse {
  const { status, headers } = response;
  return {
    status,
    headers,
    bytes: () => bytesIn(response, call),
    async value() {
      if (response.value !== undefined) return response.value;
      let text = "";
      const decoder = new TextDecoder();
      for await (const chunk of bytesIn(response, call))
        text += decoder.decode(chunk, { stream: true });
      const isJson = String(headers["content-type"] ?? "").startsWith("application/json");
      return isJson && text !== "" ? parseJsonText(text) : text || undefined;
    },
    values: () => (response.values ? liveStream(response.values, call) : linesIn(response, call)),
  };
}

/** Parses a stream of JSON lines that another server wrote. */
async function* linesIn(
  response: ApiResponse,
  call: InProcessCall,
): AsyncGenerator<readonly unknown[]> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of bytesIn(response, call)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    const values = lines.filter((line) => line !== "").map(parseJsonText);
    if (values.length > 0) yield values;
  }
  if (rest.trim() !== "") yield [lastValue(rest)];
}

/** Parses the last line, which may lack a newline; an incomplete one means that the stream broke. */
function lastValue(line: string): unknown {
  try {
    return parseJsonText(line);
  } catch (cause) {
    throw new TransportError("unexpected EOF", { cause });
  }
}

async function* bytesIn(response: ApiResponse, call: InProcessCall): AsyncGenerator<Uint8Array> {
  const { body, value, values } = response;
  if (value !== undefined) yield bytesOf(`${stringifyJson(value)}\n`);
  else if (values)
    for await (const events of liveStream(values, call))
      yield bytesOf(events.map((event) => `${stringifyJson(event)}\n`).join(""));
  else if (isStream(body))
    for await (const chunks of liveStream(body, call)) yield* chunks.map(bytesOf);
  else if (typeof body === "string" || body instanceof Uint8Array) yield bytesOf(body);
  else if (body !== undefined) yield* passedOn(body, call);
}

/** Reads chunks of another stream until the caller stops. */
async function* passedOn(
  body: Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>,
  call: InProcessCall,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body) {
      call.throwIfEnded();
      yield bytesOf(chunk);
    }
  } finally {
    call.end();
  }
}

const isStream = (body: ApiBody): body is StreamBody => typeof body === "object" && "start" in body;

const encoder = new TextEncoder();
const bytesOf = (chunk: Uint8Array | string): Uint8Array =>
  typeof chunk === "string" ? encoder.encode(chunk) : chunk;
