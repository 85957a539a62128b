import { type Reason, type StatusDetails, StatusError } from "../api/meta/v1/status-error.ts";
import type { ResourceKind } from "./resource-kind.ts";
import { header, type TransportResponse } from "./transport.ts";
import { warningTexts } from "./warnings.ts";

/** The value that a call was answered with; throws a refusal as the StatusError that it is. */
export async function answered(
  response: TransportResponse,
  onWarning?: (text: string) => void,
): Promise<unknown> {
  if (onWarning) for (const text of warningTexts(response)) onWarning(text);
  const value = await response.value();
  if (response.status >= 400) throw refusal(response, value);
  return value;
}

/** The object in an answer; undefined where it says that there is none any more. */
export function answeredObject<O>(kind: ResourceKind<O>, answer: unknown): O | undefined {
  const { kind: name } = (answer ?? {}) as { readonly kind?: string };
  if (answer === undefined || (name === "Status" && kind.kind !== "Status")) return undefined;
  return answer as O;
}

/** What a server that refuses says, as it says it. */
export function refusal(
  response: Pick<TransportResponse, "status" | "headers">,
  value: unknown,
): StatusError {
  if (isStatus(value)) return errorOf(value, response.status);
  const { status } = response;
  const text = typeof value === "string" ? value.trim() : "";
  const [reason, usual] = plainRefusals.get(status) ?? [
    "",
    `an error on the server (${text}) has prevented the request from succeeding`,
  ];
  const seconds = Number(header(response, "retry-after"));
  const details = seconds > 0 ? { retryAfterSeconds: seconds } : undefined;
  const message =
    usual === "" ? text || `the server responded with the status code ${status}` : usual;
  return new StatusError(reason, message, { code: status, details });
}

interface StatusValue {
  readonly kind: "Status";
  readonly metadata?: { readonly continue?: string };
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

/** The error that a Status stands for. */
export function errorOf(status: StatusValue, code = 500): StatusError {
  const { message = "", reason = "", details, metadata } = status;
  return new StatusError(reason as Reason, message, {
    code: status.code ?? code,
    details,
    ...(metadata?.continue && { continueToken: metadata.continue }),
  });
}

export const isStatus = (value: unknown): value is StatusValue =>
  typeof value === "object" && value !== null && (value as { kind?: unknown }).kind === "Status";

/** What refusals mean that come from somebody who does not speak the API, such as a proxy. */
const plainRefusals = new Map<number, readonly [Reason, string]>([
  [400, ["BadRequest", "the server rejected our request for an unknown reason"]],
  [401, ["Unauthorized", "the server has asked for the client to provide credentials"]],
  [403, ["Forbidden", ""]],
  [404, ["NotFound", "the server could not find the requested resource"]],
  [405, ["MethodNotAllowed", "the server does not allow this method on the requested resource"]],
  [406, ["NotAcceptable", ""]],
  [409, ["Conflict", "the server reported a conflict"]],
  [410, ["Gone", ""]],
  [413, ["RequestEntityTooLarge", ""]],
  [415, ["UnsupportedMediaType", ""]],
  [422, ["Invalid", "the server rejected our request due to an error in our request"]],
  [
    429,
    [
      "TooManyRequests",
      "the server has received too many requests and has asked us to try again later",
    ],
  ],
  [503, ["ServiceUnavailable", "the server is currently unable to handle the request"]],
  [
    504,
    [
      "Timeout",
      "the server was unable to return a response in the time allotted, but may still be processing the request",
    ],
  ],
]);
