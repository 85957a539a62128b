import type { ApiBody, Handler } from "../../../apiserver/request/request.ts";
import type { Metrics } from "../../../base/metrics.ts";
import { requestLabels, type ServerType } from "./request-labels.ts";

export interface RequestCountOptions {
  readonly metrics: Metrics;
  readonly serverType: ServerType;
  /** Milliseconds of a steady clock. */
  readonly ticks: () => number;
}

/** Counts the requests to a kubelet, and measures them until their responses have ended. */
export function countRequests(handler: Handler, options: RequestCountOptions): Handler {
  const { metrics, serverType, ticks } = options;
  const labels = ["method", "path", "server_type", "long_running"];
  const total = metrics.counter({
    name: "kubelet_http_requests_total",
    help: "Number of the http requests received since the server started",
    stability: "ALPHA",
    labels,
  });
  const duration = metrics.histogram({
    name: "kubelet_http_requests_duration_seconds",
    help: "Duration in seconds to serve http requests",
    stability: "ALPHA",
    labels,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  const inFlight = metrics.gauge({
    name: "kubelet_http_inflight_requests",
    help: "Number of the inflight http requests",
    stability: "ALPHA",
    labels,
  });
  return async (request) => {
    const values = requestLabels(request.method, request.path, serverType);
    const began = ticks();
    total.of(...values).add(1);
    inFlight.of(...values).add(1);
    const ended = (): void => {
      inFlight.of(...values).add(-1);
      duration.of(...values).observe((ticks() - began) / 1000);
    };
    try {
      const response = await handler(request);
      const { body, takeOver } = response;
      if (takeOver) return { ...response, takeOver: (stream) => takeOver(stream).finally(ended) };
      if (isIterable(body)) return { ...response, body: untilEnd(body, ended) };
      ended();
      return response;
    } catch (error) {
      ended();
      throw error;
    }
  };
}

const isIterable = (body: ApiBody): body is AsyncIterable<Uint8Array | string> =>
  typeof body === "object" && Symbol.asyncIterator in body;

/** Calls back when a body has been sent, or its reader has left. */
async function* untilEnd<T>(body: AsyncIterable<T>, ended: () => void): AsyncGenerator<T> {
  try {
    yield* body;
  } finally {
    ended();
  }
}
