import {
  badRequest,
  internalError,
  type Reason,
  StatusError,
} from "../../api/meta/v1/status-error.ts";
import { quote } from "../../schema/values/quote.ts";

/** The request that was proxied, for the error. */
export interface Asked {
  readonly resource: string;
  readonly name: string;
}

/** The error for the client when the target responded with one. */
export function serverResponseError(code: number, text: string, asked: Asked): StatusError {
  if (code === 500) return internalError(text);
  if (code === 400) return badRequest(text);
  const { reason, message } = unexpectedResponse(code, text);
  const { resource, name } = asked;
  return new StatusError(reason, `${message} ( ${resource} ${name})`, {
    code,
    details: { name, kind: resource },
  });
}

/** How a response with an error is described whose body is not a Status. */
export function unexpectedResponse(
  code: number,
  text: string,
): { readonly reason: Reason | ""; readonly message: string } {
  if (code === 403) return { reason: "Forbidden", message: text };
  if (code === 415) return { reason: "UnsupportedMediaType", message: text };
  if (code === 406 && text !== "" && text !== "unknown")
    return { reason: "NotAcceptable", message: text };
  const fixed = messages[code];
  if (fixed) return { reason: fixed[0], message: fixed[1] };
  if (code >= 500)
    return {
      reason: "InternalError",
      message: `an error on the server (${quote(text)}) has prevented the request from succeeding`,
    };
  return {
    reason: "",
    message: `the server responded with the status code ${code} but did not return more information`,
  };
}

const messages: Readonly<Record<number, readonly [Reason, string]>> = {
  400: ["BadRequest", "the server rejected our request for an unknown reason"],
  401: ["Unauthorized", "the server has asked for the client to provide credentials"],
  404: ["NotFound", "the server could not find the requested resource"],
  405: ["MethodNotAllowed", "the server does not allow this method on the requested resource"],
  406: [
    "NotAcceptable",
    "the server was unable to respond with a content type that the client supports",
  ],
  409: ["Conflict", "the server reported a conflict"],
  422: ["Invalid", "the server rejected our request due to an error in our request"],
  429: [
    "TooManyRequests",
    "the server has received too many requests and has asked us to try again later",
  ],
  503: ["ServiceUnavailable", "the server is currently unable to handle the request"],
  504: [
    "Timeout",
    "the server was unable to return a response in the time allotted, but may still be processing the request",
  ],
};
