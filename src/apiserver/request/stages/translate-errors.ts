import { internalError, StatusError } from "../../../api/meta/v1/status-error.ts";
import type { Log } from "../../../base/log.ts";
import type { ServerMetrics } from "../../metrics/server-metrics.ts";
import { UnreadableObject } from "../../objects/stored.ts";
import type { ApiRequest } from "../request.ts";
import { errorResponse } from "../respond.ts";
import type { Stage } from "../stage.ts";

interface ErrorParts {
  readonly metrics: Pick<ServerMetrics, "reads">;
  readonly log: Log;
}

/** Makes a response of every error that a later stage throws. */
export const translateErrors = (parts: ErrorParts): Stage => ({
  name: "errors",
  around: (next) => async (state) => {
    try {
      return await next(state);
    } catch (error) {
      if (isBug(error)) state.panic = error.message;
      const status = statusErrorOf(error, state.request, parts);
      const response = errorResponse(status, state.errorForm, state.warnings);
      // As upstream, audit logs have only the code of an error that the client accepts in no form.
      return state.acceptsNothing ? { ...response, described: undefined } : response;
    }
  },
});

/** Whether the program is wrong, rather than the request or what the server depends on. */
const isBug = (error: unknown): error is Error =>
  error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError;

/** Only a StatusError is meant for the client; any other error is a fault of the server, and is logged. */
function statusErrorOf(
  error: unknown,
  { method, path }: ApiRequest,
  { metrics, log }: ErrorParts,
): StatusError {
  if (error instanceof StatusError) return error;
  if (error instanceof UnreadableObject) metrics.reads.unreadable(error);
  log.error("request failed", error, { method, path });
  return internalError(error);
}
