import { notAcceptable } from "./negotiation.ts";
import type { ListOptions } from "./query.ts";
import type { ApiResponse } from "./request.ts";
import type { ResourceRequest } from "./resource-request.ts";
import type { AnswerContext } from "./respond.ts";
import type { Selection } from "./selection.ts";
import { warningHeaders } from "./warning-headers.ts";
import { watchStream } from "./watch.ts";
import { watchEncoding } from "./watch-encoding.ts";

/** Watches end by themselves after half an hour to an hour, so that clients spread over servers. */
const defaultTimeoutSeconds = 1800;

/** The answer to a watch: a stream of events. */
export function watchResponse(
  { kind, path, registry }: ResourceRequest,
  context: AnswerContext & { readonly options: ListOptions; readonly selection: Selection },
): ApiResponse {
  const { accept, includeObject, options, selection } = context;
  const encoding = watchEncoding(kind, {
    accept,
    includeObject,
    now: () => registry.clock.now(),
  });
  if (!encoding) throw notAcceptable(streamTypes);
  const timeoutSeconds =
    options.timeoutSeconds || defaultTimeoutSeconds * (1 + registry.random.next());
  return {
    status: 200,
    headers: {
      "content-type": encoding.contentType,
      "cache-control": "no-cache, private",
      ...warningHeaders(context.warnings),
    },
    body: watchStream(registry, {
      kind,
      namespace: path.namespace,
      selection,
      options,
      timeoutMs: timeoutSeconds * 1000,
      encoding,
    }),
  };
}

const streamTypes = [
  "application/json;stream=watch",
  "application/vnd.kubernetes.protobuf;stream=watch",
];
