import type { MetricsRegistry } from "../../base/metrics-registry.ts";
import { parseAccept } from "../request/negotiation.ts";
import type { ApiRequest, ApiResponse } from "../request/request.ts";

/** Answers with what was counted; a DELETE forgets it. */
export function metricsResponse(
  { method, headers }: ApiRequest,
  metrics: MetricsRegistry,
  startedAt: number,
): ApiResponse {
  const cacheControl = { "cache-control": "no-cache, private" };
  if (method === "DELETE") {
    metrics.reset();
    const plain = { "content-type": "text/plain; charset=utf-8", ...cacheControl };
    return { status: 200, headers: plain, body: "metrics reset\n" };
  }
  return {
    status: 200,
    headers: {
      "content-type": `text/plain; version=0.0.4; charset=utf-8; escaping=${escaping(headers.accept ?? "")}`,
      "process-start-time-unix": String(Math.floor(startedAt / 1000)),
      ...cacheControl,
    },
    body: metrics.text(),
  };
}

const escapings: readonly string[] = ["allow-utf-8", "underscores", "dots", "values"];

/** How names would be written that are not plain; none of ours is. */
function escaping(accept: string): string {
  for (const { parameters } of parseAccept(accept)) {
    const wanted = parameters.get("escaping") ?? "";
    if (escapings.includes(wanted)) return wanted;
  }
  return "underscores";
}
