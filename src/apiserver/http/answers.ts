import type { ApiResponse } from "../request/request.ts";

/** What the adapter answers by itself, when a request does not reach the core or the core fails. */

/** The answer to a body that is larger than allowed. */
export function tooLarge(limit: number): ApiResponse {
  return status(413, "RequestEntityTooLarge", `Request entity too large: limit is ${limit}`);
}

/** The answer to a client that does not send its body. */
export function timedOut(): ApiResponse {
  return status(408, "Timeout", "the request's body did not arrive in time");
}

/** The answer when the core throws, which it should not; in upstream's words. */
export function crashed(): ApiResponse {
  const body = "This request caused apiserver to panic. Look in the logs for details.\n";
  const headers = {
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
  };
  return { status: 500, headers, body };
}

function status(code: number, reason: string, message: string): ApiResponse {
  const value = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason,
    code,
  };
  const headers = { "content-type": "application/json" };
  return { status: code, headers, body: `${JSON.stringify(value)}\n` };
}
