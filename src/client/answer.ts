import { type Reason, type StatusDetails, StatusError } from "../api/meta/v1/status-error.ts";
import { resourceOf } from "../schema/language/kind.ts";
import { quote } from "../schema/values/quote.ts";
import type { ResourceKind } from "./resource-kind.ts";
import { header, type TransportResponse } from "./transport.ts";
import { warningTexts } from "./warnings.ts";

/** What a call is about, for refusals that do not say it themselves. */
export interface CallSubject {
  readonly method: string;
  readonly kind: Pick<ResourceKind, "group" | "plural">;
  readonly name?: string | undefined;
}

export interface AnswerOptions {
  readonly onWarning?: ((text: string) => void) | undefined;
  readonly about?: CallSubject | undefined;
}

/** The value that a call was answered with; throws a refusal as the StatusError that it is. */
export async function answered(
  response: TransportResponse,
  { onWarning, about }: AnswerOptions = {},
): Promise<unknown> {
  if (onWarning) for (const text of warningTexts(response)) onWarning(text);
  const value = await response.value();
  if (response.status >= 300) throw refusal(response, value, about);
  return value;
}

/** The object in an answer; undefined where it says that there is none any more. */
export function answeredObject<O>(kind: ResourceKind<O>, answer: unknown): O | undefined {
  const { kind: name } = (answer ?? {}) as { readonly kind?: string };
  if (answer === undefined || (name === "Status" && kind.kind !== "Status")) return undefined;
  return answer as O;
}

/** What a server that refuses says, as it says it. */
function refusal(response: TransportResponse, value: unknown, about?: CallSubject): StatusError {
  const { status } = response;
  if (isStatus(value) && value.status !== "Success") return errorOf(value, status);
  const type = header(response, "content-type") ?? "";
  const isText = typeof value === "string" && (type === "" || type.startsWith("text/"));
  const said = isText ? value.slice(0, longestText).trim() : "unknown";
  const [reason, meaning] = plainRefusal(status, said, about?.method);
  const seconds = Number(header(response, "retry-after"));
  const { group = "", plural = "" } = about?.kind ?? {};
  const details = {
    ...(about?.name && { name: about.name }),
    ...(group && { group }),
    ...(plural && { kind: plural }),
    causes: [{ reason: "UnexpectedServerResponse", message: said }],
    ...(seconds > 0 && { retryAfterSeconds: seconds }),
  };
  return new StatusError(reason, `${meaning}${subject(about)}`, { code: status, details });
}

/** What the call was: ` (get deployments.apps web)`. */
function subject(about: CallSubject | undefined): string {
  if (about === undefined) return "";
  const words = [about.method.toLowerCase(), resourceOf(about.kind)];
  if (about.name) words.push(about.name);
  return ` (${words.join(" ")})`;
}

/** How much of a text that is no answer of the API is shown. */
const longestText = 2048;

interface StatusValue {
  readonly kind: "Status";
  readonly status?: string;
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

type Refusal = readonly [reason: Reason | "", meaning: string];

/** What a refusal means that comes from somebody who does not speak the API, such as a proxy. */
function plainRefusal(status: number, said: string, method: string | undefined): Refusal {
  if (status === 409 && method === "POST")
    return ["AlreadyExists", "the server reported a conflict"];
  if (status === 403) return ["Forbidden", said];
  if (status === 415) return ["UnsupportedMediaType", said];
  if (status === 406) return ["NotAcceptable", said === "" || said === "unknown" ? none : said];
  const known = plainRefusals.get(status);
  if (known) return known;
  return status >= 500
    ? [
        "InternalError",
        `an error on the server (${quote(said)}) has prevented the request from succeeding`,
      ]
    : [
        "",
        `the server responded with the status code ${status} but did not return more information`,
      ];
}

const none = "the server was unable to respond with a content type that the client supports";

const plainRefusals: ReadonlyMap<number, Refusal> = new Map<number, Refusal>([
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
]);
