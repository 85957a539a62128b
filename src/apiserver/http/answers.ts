import type { ApiResponse } from "../request/request.ts";

/** Responses of the adapter itself, when a request does not reach the API server or that fails. */

/** The response to a body that is larger than allowed. */
export function tooLarge(limit: number): ApiResponse {
  return status(413, "RequestEntityTooLarge", `Request entity too large: limit is ${limit}`);
}

/** The response to a client that does not send its body in time. */
export function timedOut(): ApiResponse {
  return status(408, "Timeout", "the request's body did not arrive in time");
}

/** The response when the handler throws, which is a bug; the text is upstream's. */
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
