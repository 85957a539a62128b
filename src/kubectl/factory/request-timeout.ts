import type { Clock } from "../../base/clock.ts";
import {
  type Transport,
  TransportError,
  type TransportRequest,
  type TransportResponse,
} from "../../client/transport.ts";
import { formatDuration, parseDuration } from "../../schema/values/duration.ts";
import { goPath, goQuery } from "./go-query.ts";

/** The value of `--request-timeout` in milliseconds: whole seconds, or a duration; 0 for none. */
export function requestTimeout(text: string): number {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  try {
    return Number(parseDuration(text)) / 1e6;
  } catch {
    throw new Error(
      `Invalid timeout value. Timeout must be a single integer in seconds, or an integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)`,
    );
  }
}

/** Writes URLs as Go's clients do, with the time limit, and ends requests after that time, body included. */
export function withRequestTimeout(transport: Transport, clock: Clock, ms: number): Transport {
  if (ms <= 0)
    return ({ path, query, ...request }) =>
      transport({ ...request, path: goPath(path), query: goQuery(query) });
  const timeout = formatDuration(BigInt(Math.round(ms * 1e6)));
  return async (request) => {
    const query = new URLSearchParams(request.query).has("timeout")
      ? goQuery(request.query)
      : goQuery(request.query, { timeout });
    const late = new AbortController();
    let stage = "exceeded while awaiting headers";
    const timer = clock.setTimer(ms, () => late.abort(tooLate(stage)));
    const signal = request.signal ? AbortSignal.any([request.signal, late.signal]) : late.signal;
    const limited: TransportRequest = { ...request, path: goPath(request.path), query, signal };
    try {
      const response = await transport(limited);
      stage = "or context cancellation while reading body";
      return withEnd(response, () => timer.cancel());
    } catch (error) {
      timer.cancel();
      throw error;
    }
  };
}

const tooLate = (stage: string): TransportError =>
  new TransportError(`context deadline exceeded (Client.Timeout ${stage})`);

/** Calls a function when the body of a response has been read, or left. */
function withEnd(response: TransportResponse, end: () => void): TransportResponse {
  async function* ended<T>(parts: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      yield* parts;
    } finally {
      end();
    }
  }
  const { status, headers } = response;
  return {
    status,
    headers,
    value: () => response.value().finally(end),
    values: () => ended(response.values()),
    bytes: () => ended(response.bytes()),
  };
}
