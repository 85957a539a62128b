import { StatusError } from "../../api/meta/v1/status-error.ts";
import { encodeBase64 } from "../../base/base64.ts";
import type { Clock } from "../../base/clock.ts";
import { headerOf } from "../../base/http/http1-message.ts";
import type { ApiRequest, ApiResponse } from "../request/request.ts";
import type { ResourceRequest } from "../request/resource-request.ts";
import { logQuery, podLogOptions } from "./connect-options.ts";
import type { HttpResponse } from "./http-client.ts";
import { type Location, requestTarget, urlOf } from "./location.ts";
import { type Outbound, roundTrip } from "./outbound.ts";
import { uncached } from "./proxied-headers.ts";
import { serverResponseError } from "./server-response.ts";
import { kubeletLocation } from "./targets.ts";
import { messageOf } from "./upgrade.ts";
import { webSocketResponse } from "./web-socket-response.ts";
import { isWebSocket } from "./web-socket-token.ts";

/** Streams the log of a container from its kubelet; empty while the pod is on no node. */
export async function podLog(request: ResourceRequest, outbound: Outbound): Promise<ApiResponse> {
  const { path, query } = request;
  const { features } = request.parts.environment;
  const options = podLogOptions(query, path.name, features);
  const { container, insecureSkipTLSVerifyBackend: insecure } = options;
  const location = await kubeletLocation(
    request,
    { path: "containerLogs", container, values: logQuery(options) },
    outbound.connections,
  );
  if (!location) return { status: 204, headers: uncached({}), body: undefined };
  const { cert, key } = location.tls;
  const trusted = insecure ? { ...location, tls: { cert, key, insecure } } : location;
  const response = await fetchLog(trusted, outbound);
  await check(response, path.name);
  if (isWebSocket(request.request))
    return throughSocket(request.request, response.body, outbound.clock);
  return {
    status: 200,
    headers: uncached({ "content-type": "text/plain" }),
    body: endingQuietly(response.body),
    isPatient: true,
  };
}

/** Messages are bytes, or base64 text; an empty first message shows at once that the log is open. */
const throughSocket = (
  request: ApiRequest,
  body: AsyncIterable<Uint8Array>,
  clock: Clock,
): ApiResponse =>
  webSocketResponse(request, body, {
    patience: { clock },
    chooseForm(protocols) {
      const wanted = protocols.length === 0 ? [""] : protocols;
      const protocol = wanted.find((one) => logProtocols.includes(one));
      if (protocol === undefined) return 403;
      const isText = protocol === "base64.binary.k8s.io";
      const message = (chunk: Uint8Array | string) => {
        const bytes = typeof chunk === "string" ? encoder.encode(chunk) : chunk;
        return isText ? encoder.encode(encodeBase64(bytes)) : bytes;
      };
      return { protocol, isText, message, startsEmpty: true };
    },
  });

const logProtocols = ["", "binary.k8s.io", "base64.binary.k8s.io"];
const encoder = new TextEncoder();

async function fetchLog(location: Location, outbound: Outbound): Promise<HttpResponse> {
  const headers = [
    ["Host", location.host],
    ["User-Agent", "wherry"],
    ["Connection", "close"],
  ] as const;
  const failed = (url: string, error: unknown): StatusError =>
    new StatusError("", `Get "${url}": ${messageOf(error)}`, { cause: error });
  const response = await roundTrip(
    location,
    { method: "GET", target: requestTarget(location), headers },
    outbound,
  ).catch((error: unknown) => {
    throw failed(urlOf(location), error);
  });
  const elsewhere = headerOf(response.headers, "location") ?? "";
  if ([301, 302, 303, 307, 308].includes(response.status) && elsewhere !== "") {
    await readText(response.body, 0);
    throw failed(elsewhere, "redirects forbidden");
  }
  return response;
}

/** How many bytes of a kubelet's error are passed on. */
const errorLimit = 50_000;

async function check({ status, body }: HttpResponse, name: string): Promise<void> {
  if (status >= 200 && status <= 206) return;
  const text = await readText(body, errorLimit);
  throw serverResponseError(status, text, { resource: "pods/log", name });
}

async function readText(body: AsyncIterable<Uint8Array>, limit: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let left = limit;
  for await (const piece of body) {
    text += decoder.decode(piece.subarray(0, left), { stream: true });
    left -= piece.length;
    if (left <= 0) break;
  }
  return text + decoder.decode();
}

/** Ends a log that fails midway: its reader sees a normal end. */
async function* endingQuietly(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch {
    // Status and headers are sent already, so the error cannot be reported.
  }
}
