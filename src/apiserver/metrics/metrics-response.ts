import type { MetricsRegistry } from "../../base/metrics-registry.ts";
import { parseAccept } from "../request/negotiation.ts";
import type { ApiRequest, ApiResponse } from "../request/request.ts";

/** Responds with the metrics; a DELETE resets them. */
export function metricsResponse(
  { method, headers }: Pick<ApiRequest, "method" | "headers">,
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

/** The escaping of unusual metric names; there are none here. */
function escaping(accept: string): string {
  for (const { parameters } of parseAccept(accept)) {
    const wanted = parameters.get("escaping") ?? "";
    if (escapings.includes(wanted)) return wanted;
  }
  return "underscores";
}
