import type { Clock } from "../../base/clock.ts";
import { webSocketResponse } from "../connect/web-socket-response.ts";
import { isWebSocket } from "../connect/web-socket-token.ts";
import type { Environment } from "../objects/environment.ts";
import { notAcceptable } from "../request/negotiation.ts";
import type { ListOptions } from "../request/query.ts";
import type { ApiRequest, ApiResponse, StreamBody } from "../request/request.ts";
import type { ResourceRequest } from "../request/resource-request.ts";
import type { AnswerContext } from "../request/respond.ts";
import { warningHeaders } from "../request/warning-headers.ts";
import type { ComputedEvent } from "../subresources/computed-objects.ts";
import type { Selection } from "../verbs/selection.ts";
import { computedStream } from "./computed-stream.ts";
import { valueEncoding, type WatchEncoding, watchEncoding } from "./watch-encoding.ts";
import { watchStream } from "./watch-objects.ts";

interface Watched extends AnswerContext {
  readonly options: ListOptions;
  readonly selection: Selection;
}

/** The response to a watch of stored objects: a stream of events. */
export function watchResponse(request: ResourceRequest, context: Watched): ApiResponse {
  const { kind, path, parts, onListed } = request;
  const { options, selection } = context;
  const watched = {
    kind,
    namespace: path.namespace,
    selection,
    options,
    timeoutMs: watchTimeout(parts.environment, options),
    // There may be many watches, so those without initial events hold no callback.
    ...(onListed && options.sendInitialEvents && { onListed }),
  };
  return streamed(request, context, (encoding) => watchStream(parts, { ...watched, encoding }));
}

/** The response to a watch of computed objects. */
export function computedWatchResponse(
  request: ResourceRequest,
  context: Watched,
  events: AsyncIterable<ComputedEvent>,
): ApiResponse {
  const { kind, parts } = request;
  const { clock } = parts.environment;
  const timeoutMs = watchTimeout(parts.environment, context.options);
  return streamed(request, context, (encoding) =>
    computedStream(events, { kind, encoding, clock, timeoutMs }),
  );
}

/** Watches end after a random time unless clients set one, so that clients spread over servers. */
const watchTimeout = (
  { minWatchMs, random }: Pick<Environment, "minWatchMs" | "random">,
  { timeoutSeconds = 0 }: ListOptions,
): number => timeoutSeconds * 1000 || minWatchMs * (1 + random.next());

/** The response with a stream of events in the form that the client accepts. */
function streamed(
  { kind, parts, request }: ResourceRequest,
  { accept, includeObject, warnings }: AnswerContext,
  streamOf: <Chunk>(encoding: WatchEncoding<Chunk>) => StreamBody<Chunk>,
): ApiResponse {
  const how = { accept, includeObject, now: () => parts.environment.clock.now() };
  const answer = (contentType: string) => ({
    status: 200,
    headers: {
      "content-type": contentType,
      "cache-control": "no-cache, private",
      ...warningHeaders(warnings),
    },
  });
  if (accept.isValue && !isWebSocket(request)) {
    const encoding = valueEncoding(kind, how);
    return { ...answer(encoding.contentType), body: undefined, values: streamOf(encoding) };
  }
  const encoding = watchEncoding(kind, how);
  if (!encoding) throw notAcceptable(streamTypes);
  const body = streamOf(encoding);
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
