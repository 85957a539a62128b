import type { AnyKind } from "../objects/object.ts";
import type { Route } from "../request/load/route.ts";
import type { ApiResponse, StreamBody } from "../request/request.ts";
import { instrumentedDocument, sizeOf } from "./request-metrics.ts";
import type { ServerMetrics } from "./server-metrics.ts";

export interface Counting {
  readonly metrics: ServerMetrics;
  readonly route: Route;
}

/** The same answer, which is counted: at once, or when it ends if it goes on. */
export function countedResponse(response: ApiResponse, counting: Counting): ApiResponse {
  const { metrics, route } = counting;
  const { kind } = route;
  const { status, body, values } = response;
  if (kind && values)
    return { ...response, values: countedStream(values, { ...counting, kind, status }) };
  if (kind && isStream(body))
    return { ...response, body: countedStream(body, { ...counting, kind, status }) };
  if (kind)
    metrics.requests.answered(route, kind, {
      status,
      size: sizeOf(body),
      seconds: route.elapsed(),
    });
  else if (route.target?.type === "other") {
    const isRefused = status === 401 || status === 403;
    const document = isRefused ? undefined : documentAt(route, response);
    if (document)
      metrics.requests.document(route, document, {
        status,
        size: sizeOf(body),
        seconds: route.elapsed(),
      });
  }
  return response;
}

const documentAt = ({ request }: Route, { headers }: ApiResponse) =>
  instrumentedDocument(request.path, String(headers["content-type"]));

const isStream = (body: ApiResponse["body"]): body is StreamBody =>
  typeof body === "object" && body !== null && "start" in body;

function countedStream<Chunk>(
  stream: StreamBody<Chunk>,
  counting: Counting & { readonly kind: AnyKind; readonly status: number },
): StreamBody<Chunk> {
  const { metrics, route, kind, status } = counting;
  const begin = () => {
    const end = metrics.requests.begun(route, kind);
    return () => {
      end();
      metrics.requests.answered(route, kind, { status, size: 0, seconds: route.elapsed() });
    };
  };
  const isWatch = route.target?.type === "resource" && route.target.resource.subresource === "";
  return metrics.watches.counted(stream, isWatch ? kind : undefined, begin);
}
