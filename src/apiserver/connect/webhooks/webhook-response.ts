import { StatusError } from "../../../api/meta/v1/status-error.ts";
import { headerOf } from "../../../base/http/http1-message.ts";
import type { HttpResponse } from "../http-client.ts";
import { unexpectedResponse } from "../server-response.ts";

/** A response that was read to its end. */
export interface ReadResponse extends Pick<HttpResponse, "status" | "headers"> {
  readonly text: string;
}

/** The JSON in a webhook's response; throws in upstream's words if there is none, or the webhook failed. */
export function responseText({ status, headers, text }: ReadResponse): string {
  const type = headerOf(headers, "content-type") ?? "";
  if (status < 200 || status > 206) throw failure(status, text, isText(type));
  if (text !== "") return text;
  throw new Error(
    `0-length response with status code: ${status} and content type: ${type || "application/json"}`,
  );
}

/** The seconds after which a webhook wants to be called again; undefined if its response is final. */
export function retryAfter({
  status,
  headers,
}: Pick<HttpResponse, "status" | "headers">): number | undefined {
  const seconds = headerOf(headers, "retry-after") ?? "";
  const isBusy = status === 429 || status >= 500;
  return isBusy && /^[+-]?\d+$/.test(seconds) ? Math.max(Number(seconds), 0) : undefined;
}

const mostShown = 2048;

/** The error for a response that is none: the Status in its body, or a general one with its text. */
function failure(code: number, body: string, isPlain: boolean): StatusError {
  const given = statusIn(body);
  if (given) return given;
  const shown = isPlain ? body.slice(0, mostShown).trim() : "unknown";
  const { reason, message } = unexpectedResponse(code, shown);
  return new StatusError(reason, message, { code });
}

const isText = (type: string): boolean => type === "" || /^\s*text\//i.test(type);

/** The error of a Status in JSON; undefined if the text is something else. */
function statusIn(text: string): StatusError | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { kind, apiVersion, status, message, reason, code, details } = value as GivenStatus;
  if (kind !== "Status" || (apiVersion ?? "v1") !== "v1" || status === "Success") return undefined;
  return new StatusError((reason ?? "") as StatusError["reason"], message ?? "", {
    ...(code !== undefined && { code }),
    details,
  });
}

/** A Status as another server sends it. */
interface GivenStatus {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly status?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly details?: StatusError["details"];
}
