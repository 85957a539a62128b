import type { Metrics } from "../base/metrics.ts";
import type { Transport } from "./transport.ts";

export interface MeasuredOptions {
  readonly metrics: Metrics;
  /** The server, as `HOST:PORT`. */
  readonly host: string;
  /** Milliseconds of a steady clock. */
  readonly ticks: () => number;
}

/** Wraps a transport: counts requests and measures how long responses take to begin, as client-go does. */
export function measured(
  transport: Transport,
  { metrics, host, ticks }: MeasuredOptions,
): Transport {
  const total = metrics.counter({
    name: "rest_client_requests_total",
    help: "Number of HTTP requests, partitioned by status code, method, and host.",
    stability: "ALPHA",
    labels: ["code", "method", "host"],
  });
  const duration = metrics.histogram({
    name: "rest_client_request_duration_seconds",
    help: "Request latency in seconds. Broken down by verb, and host.",
    stability: "ALPHA",
    labels: ["verb", "host"],
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
  });
  return async (request) => {
    const { method } = request;
    const began = ticks();
    let code = "<error>";
    try {
      const response = await transport(request);
      code = String(response.status);
      return response;
    } finally {
      total.of(code, method, host).add(1);
      duration.of(method, host).observe((ticks() - began) / 1000);
    }
  };
}
