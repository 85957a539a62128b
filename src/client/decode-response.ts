import { type Reason, type StatusDetails, StatusError } from "../api/meta/v1/status-error.ts";
import { resourceOf } from "../schema/language/kind.ts";
import { quote } from "../schema/values/quote.ts";
import type { ResourceKind } from "./resource-kind.ts";
import { header, type TransportResponse } from "./transport.ts";
import { warningTexts } from "./warnings.ts";

/** The request that failed, for the text of errors whose response does not name it. */
export interface FailedRequest {
  readonly method: string;
  readonly kind: Pick<ResourceKind, "group" | "plural">;
  readonly name?: string | undefined;
}

export interface ResponseOptions {
  readonly onWarning?: ((text: string) => void) | undefined;
  readonly request?: FailedRequest | undefined;
}

/** Decodes the body of a response; throws a `StatusError` if the server rejected the request. */
export async function decodeResponse(
  response: TransportResponse,
  { onWarning, request }: ResponseOptions = {},
): Promise<unknown> {
  if (onWarning) for (const text of warningTexts(response)) onWarning(text);
  const value = await response.value();
  if (response.status >= 300) throw responseError(response, value, request);
  return value;
}

/** Returns the object in the response to a deletion; undefined if the object is already deleted. */
export function remainingObject<O>(kind: ResourceKind<O>, value: unknown): O | undefined {
  const { kind: name } = (value ?? {}) as { readonly kind?: string };
  if (value === undefined || (name === "Status" && kind.kind !== "Status")) return undefined;
  return value as O;
}

/**
 * Builds the error of a rejected request: the server's `Status`, or one made from the HTTP status code.
 */
function responseError(
  response: TransportResponse,
  value: unknown,
  request?: FailedRequest,
): StatusError {
  const { status } = response;
  if (isStatus(value) && value.status !== "Success") return statusErrorOf(value, status);
  const type = header(response, "content-type") ?? "";
  const isText = typeof value === "string" && (type === "" || type.startsWith("text/"));
  const text = isText ? value.slice(0, maxQuotedText).trim() : "unknown";
  const [reason, message] = errorOfStatusCode(status, text, request?.method);
  const seconds = Number(header(response, "retry-after"));
  const { group = "", plural = "" } = request?.kind ?? {};
  const details = {
    ...(request?.name && { name: request.name }),
    ...(group && { group }),
    ...(plural && { kind: plural }),
    causes: [{ reason: "UnexpectedServerResponse", message: text }],
    ...(seconds > 0 && { retryAfterSeconds: seconds }),
  };
  return new StatusError(reason, `${message}${subject(request)}`, { code: status, details });
}

/** Formats the request for an error text: ` (get deployments.apps web)`. */
function subject(request: FailedRequest | undefined): string {
  if (request === undefined) return "";
  const words = [request.method.toLowerCase(), resourceOf(request.kind)];
  if (request.name) words.push(request.name);
  return ` (${words.join(" ")})`;
}

/** The longest part of a plain-text body that an error text quotes. */
const maxQuotedText = 2048;

interface StatusValue {
  readonly kind: "Status";
  readonly status?: string;
  readonly metadata?: { readonly continue?: string };
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

/** Builds the error that a `Status` describes. */
export function statusErrorOf(status: StatusValue, code = 500): StatusError {
  const { message = "", reason = "", details, metadata } = status;
  return new StatusError(reason as Reason, message, {
    code: status.code ?? code,
    details,
    ...(metadata?.continue && { continueToken: metadata.continue }),
  });
}

export const isStatus = (value: unknown): value is StatusValue =>
  typeof value === "object" && value !== null && (value as { kind?: unknown }).kind === "Status";

type ReasonAndMessage = readonly [reason: Reason | "", message: string];

/** Finds reason and message for a response without a `Status`, for example from a proxy. */
function errorOfStatusCode(
  status: number,
  text: string,
  method: string | undefined,
): ReasonAndMessage {
  if (status === 409 && method === "POST")
    return ["AlreadyExists", "the server reported a conflict"];
  if (status === 403) return ["Forbidden", text];
  if (status === 415) return ["UnsupportedMediaType", text];
  if (status === 406)
    return ["NotAcceptable", text === "" || text === "unknown" ? notAcceptable : text];
  const known = errorsByStatusCode.get(status);
  if (known) return known;
  return status >= 500
    ? [
        "InternalError",
        `an error on the server (${quote(text)}) has prevented the request from succeeding`,
      ]
    : [
        "",
        `the server responded with the status code ${status} but did not return more information`,
      ];
}

const notAcceptable =
  "the server was unable to respond with a content type that the client supports";

const errorsByStatusCode: ReadonlyMap<number, ReasonAndMessage> = new Map<number, ReasonAndMessage>(
  [
    [400, ["BadRequest", "the server rejected our request for an unknown reason"]],
    [401, ["Unauthorized", "the server has asked for the client to provide credentials"]],
    [404, ["NotFound", "the server could not find the requested resource"]],
    [405, ["MethodNotAllowed", "the server does not allow this method on the requested resource"]],
    [409, ["Conflict", "the server reported a conflict"]],
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
  ],
);
