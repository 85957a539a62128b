import type { Clock } from "../../base/clock.ts";
import { webSocketResponse } from "../connect/web-socket-response.ts";
import { isWebSocket } from "../connect/web-socket-token.ts";
import { notAcceptable } from "../request/negotiation.ts";
import type { ListOptions } from "../request/query.ts";
import type { ApiRequest, ApiResponse, StreamBody } from "../request/request.ts";
import type { ResourceRequest } from "../request/resource-request.ts";
import type { AnswerContext } from "../request/respond.ts";
import { warningHeaders } from "../request/warning-headers.ts";
import type { Selection } from "../verbs/selection.ts";
import { valueEncoding, type WatchEncoding, watchEncoding } from "./watch-encoding.ts";
import { watchStream } from "./watch-objects.ts";

/** The response to a watch: a stream of events. */
export function watchResponse(
  { kind, path, parts, request, onListed }: ResourceRequest,
  context: AnswerContext & { readonly options: ListOptions; readonly selection: Selection },
): ApiResponse {
  const { accept, includeObject, options, selection } = context;
  const how = { accept, includeObject, now: () => parts.environment.clock.now() };
  // Watches end after a random time, so that clients spread over servers.
  const timeoutMs =
    (options.timeoutSeconds ?? 0) * 1000 ||
    parts.environment.minWatchMs * (1 + parts.environment.random.next());
  const watched = {
    kind,
    namespace: path.namespace,
    selection,
    options,
    timeoutMs,
    // There may be many watches, so those without initial events hold no callback.
    ...(onListed && options.sendInitialEvents && { onListed }),
  };
  const answer = (contentType: string) => ({
    status: 200,
    headers: {
      "content-type": contentType,
      "cache-control": "no-cache, private",
      ...warningHeaders(context.warnings),
    },
  });
  if (accept.isValue && !isWebSocket(request)) {
    const encoding = valueEncoding(kind, how);
    const values = watchStream(parts, { ...watched, encoding });
    return { ...answer(encoding.contentType), body: undefined, values };
  }
  const encoding = watchEncoding(kind, how);
  if (!encoding) throw notAcceptable(streamTypes);
  const body = watchStream(parts, { ...watched, encoding });
  if (isWebSocket(request))
    return throughSocket(request, body, { encoding, clock: parts.environment.clock });
  return { ...answer(encoding.contentType), body };
}

/** Sends each event as a message, which needs no length in protobuf. */
const throughSocket = (
  request: ApiRequest,
  body: StreamBody,
  { encoding: { isText }, clock }: { encoding: WatchEncoding; clock: Clock },
): ApiResponse =>
  webSocketResponse(request, body, {
    needsOrigin: true,
    patience: { clock, message: stallTime },
    chooseForm: ([protocol = "", ...more]) =>
      more.length > 0
        ? 400
        : {
            protocol,
            isText,
            message(chunk) {
              const bytes = typeof chunk === "string" ? encoder.encode(chunk) : chunk;
              return isText ? bytes : bytes.subarray(4);
            },
          },
  });

/** How long a message may take to be sent, as for other watches. */
const stallTime = 60_000;
const encoder = new TextEncoder();

const streamTypes = [
  "application/json;stream=watch",
  "application/vnd.kubernetes.protobuf;stream=watch",
];
