import { badRequest } from "../../api/meta/v1/status-error.ts";
import type { Clock } from "../../base/clock.ts";
import { parseDuration } from "../../schema/duration.ts";
import type { Query } from "../query.ts";
import type { ApiResponse } from "../request.ts";

/** How long a request may take: what the client says with `timeout`, but never longer than the server allows. */
export function timeoutOf(query: Query, longestMs: number): number {
  const text = query.text("timeout");
  if (text === "") return longestMs;
  const wanted = Number(durationIn(text)) / 1e6;
  return wanted > 0 && wanted < longestMs ? wanted : longestMs;
}

export interface TimeLimit {
  readonly clock: Clock;
  readonly ms: number;
  /** Called when the time is up, and nobody waits for the work any more. */
  readonly onTimeout: () => void;
}

/** The answer that the work comes to, or another when it does not come in time. */
export function inTime(limit: TimeLimit, work: Promise<ApiResponse>): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    const timer = limit.clock.setTimer(limit.ms, () => {
      limit.onTimeout();
      resolve(timedOut());
    });
    work.then(
      (response) => {
        timer.cancel();
        resolve(response);
      },
      (error: unknown) => {
        timer.cancel();
        reject(error);
      },
    );
  });
}

/** A Status as upstream writes it here: it does not say what it is. */
function timedOut(): ApiResponse {
  const message = "Timeout: request did not complete within the allotted timeout";
  const status = { metadata: {}, status: "Failure", message, reason: "Timeout", details: {} };
  const headers = {
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-cache, private",
  };
  return { status: 504, headers, body: `${JSON.stringify({ ...status, code: 504 })}\n` };
}

function durationIn(text: string): bigint {
  try {
    return parseDuration(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw badRequest(`invalid timeout specified in the request URL - ${error.message}`);
  }
}
