import type { AnyKind } from "../objects/object.ts";
import { isStream } from "../request/followed-stream.ts";
import type { ApiResponse, StreamBody } from "../request/request.ts";
import type { RequestState } from "../request/request-state.ts";
import { instrumentedDocument, sizeOf } from "./request-metrics.ts";
import type { ServerMetrics } from "./server-metrics.ts";

export interface Counting {
  readonly metrics: ServerMetrics;
  readonly state: RequestState;
}

/** Counts a response: at once, or when it ends if it is a stream. */
export function countedResponse(response: ApiResponse, counting: Counting): ApiResponse {
  const { metrics, state } = counting;
  const { kind } = state;
  const { status, body, values } = response;
  if (kind && values)
    return { ...response, values: countedStream(values, { ...counting, kind, status }) };
  if (kind && isStream(body))
    return { ...response, body: countedStream(body, { ...counting, kind, status }) };
  if (kind)
    metrics.requests.answered(state, kind, {
      status,
      size: sizeOf(body),
      seconds: state.elapsed(),
    });
  else if (state.target.type === "other" && !state.isMalformed) {
    const isRefused = status === 401 || status === 403;
    const document = isRefused ? undefined : documentAt(state, response);
    if (document)
      metrics.requests.document(state, document, {
        status,
        size: sizeOf(body),
        seconds: state.elapsed(),
      });
  }
  return response;
}

const documentAt = ({ request }: RequestState, { headers }: ApiResponse) =>
  instrumentedDocument(request.path, String(headers["content-type"]));

function countedStream<Chunk>(
  stream: StreamBody<Chunk>,
  counting: Counting & { readonly kind: AnyKind; readonly status: number },
): StreamBody<Chunk> {
  const { metrics, state, kind, status } = counting;
  const begin = () => {
    const end = metrics.requests.begun(state, kind);
    return () => {
      end();
      metrics.requests.answered(state, kind, { status, size: 0, seconds: state.elapsed() });
    };
  };
  const isWatch = state.target.type === "resource" && state.target.resource.subresource === "";
  return metrics.watches.counted(stream, isWatch ? kind : undefined, begin);
}
