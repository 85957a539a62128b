import type { FieldError } from "../../../schema/language/report.ts";
import { quote } from "../../../schema/values/quote.ts";

/** The reasons for which an API call fails, each with the HTTP status that belongs to it. */
const codes = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Expired: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServerTimeout: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
} as const;
export type Reason = keyof typeof codes;

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly {
    readonly reason?: string;
    readonly message?: string;
    readonly field?: string;
  }[];
  readonly retryAfterSeconds?: number;
}

/** An error that crosses the API: thrown by the server, sent as a Status, thrown again by the client. */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly reason: Reason | "";
  readonly code: number;
  readonly details: StatusDetails | undefined;
  /** Where a list can be continued although its own version is gone. */
  readonly continueToken: string | undefined;

  constructor(
    reason: Reason | "",
    message: string,
    options: {
      readonly details?: StatusDetails | undefined;
      readonly code?: number;
      readonly continueToken?: string;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.code = options.code ?? (reason === "" ? 500 : codes[reason]);
    this.details = options.details;
    this.continueToken = options.continueToken;
  }

  static is(error: unknown, ...reasons: Reason[]): error is StatusError {
    return (
      error instanceof StatusError &&
      (reasons.length === 0 || (error.reason !== "" && reasons.includes(error.reason)))
    );
  }
}

/** What an error is about: `deployments.apps "web"`. */
export interface ResourceName {
  readonly group: string;
  /** The plural, or the kind, as the error wants it. */
  readonly resource: string;
  readonly name: string;
}

const qualified = ({ group, resource }: ResourceName): string =>
  group === "" ? resource : `${resource}.${group}`;
const detailsOf = ({ group, resource, name }: ResourceName): StatusDetails => ({
  ...(name !== "" && { name }),
  ...(group !== "" && { group }),
  ...(resource !== "" && { kind: resource }),
});

export const badRequest = (message: string): StatusError => new StatusError("BadRequest", message);

export const notFound = (what: ResourceName): StatusError =>
  new StatusError("NotFound", `${qualified(what)} ${quote(what.name)} not found`, {
    details: detailsOf(what),
  });

export const alreadyExists = (what: ResourceName, prefix = ""): StatusError =>
  new StatusError(
    "AlreadyExists",
    `${prefix}${qualified(what)} ${quote(what.name)} already exists`,
    {
      details: detailsOf(what),
    },
  );

export const conflict = (what: ResourceName, why: string): StatusError =>
  new StatusError(
    "Conflict",
    `Operation cannot be fulfilled on ${qualified(what)} ${quote(what.name)}: ${why}`,
    { details: detailsOf(what) },
  );

export const forbidden = (what: ResourceName, why: string): StatusError =>
  new StatusError("Forbidden", forbiddenMessage(what, why), { details: detailsOf(what) });

function forbiddenMessage(what: ResourceName, why: string): string {
  if (what.name !== "") return `${qualified(what)} ${quote(what.name)} is forbidden: ${why}`;
  return what.resource === "" ? `forbidden: ${why}` : `${qualified(what)} is forbidden: ${why}`;
}

/** All that is wrong with an object at once; `what.resource` is its kind. */
export function invalid(what: ResourceName, errors: readonly FieldError[]): StatusError {
  const causes = errors.map(({ type, field, message }) => ({ reason: type, message, field }));
  const lines = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  const all = lines.length === 1 ? lines[0] : `[${lines.join(", ")}]`;
  const text = `${qualified(what)} ${quote(what.name)} is invalid`;
  return new StatusError("Invalid", lines.length === 0 ? text : `${text}: ${all}`, {
    details: { ...detailsOf(what), ...(causes.length > 0 && { causes }) },
  });
}

export const methodNotAllowed = (): StatusError =>
  new StatusError(
    "MethodNotAllowed",
    "the server does not allow this method on the requested resource",
    { details: {} },
  );

export const pathNotFound = (): StatusError =>
  new StatusError("NotFound", "the server could not find the requested resource", { details: {} });

export const expired = (message: string, continueToken?: string): StatusError =>
  new StatusError("Expired", message, continueToken === undefined ? {} : { continueToken });

export const internalError = (cause: unknown): StatusError => {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new StatusError("InternalError", `Internal error occurred: ${message}`, {
    details: { causes: [{ message }] },
    cause,
  });
};

/** The Status object that is sent for an error. */
export function statusOf(error: StatusError): object {
  const { reason, message, details, code, continueToken } = error;
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: continueToken === undefined ? {} : { continue: continueToken },
    status: "Failure",
    message,
    ...(reason !== "" && { reason }),
    ...(details && { details }),
    code,
  };
}
