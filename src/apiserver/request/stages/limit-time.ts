import { StatusError } from "../../../api/meta/v1/status-error.ts";
import type { Auditing } from "../../audit/auditing.ts";
import type { ServerMetrics } from "../../metrics/server-metrics.ts";
import type { TimeLimit } from "../load/request-timeout.ts";
import { formOfErrors } from "../negotiation.ts";
import type { RequestState } from "../request-state.ts";
import { errorResponse } from "../respond.ts";
import type { Stage } from "../stage.ts";

/** Responds with a timeout when the later stages take too long. Long-running requests have no limit. */
export const limitTime = ({
  timeLimit,
  metrics,
  auditing,
}: {
  readonly auditing?: Auditing | undefined;
  readonly timeLimit: TimeLimit;
  readonly metrics: Pick<ServerMetrics, "requests">;
}): Stage => ({
  name: "time-limit",
  around: (next) => (state) => {
    if (state.isLongRunning) return next(state);
    try {
      return timeLimit.keep(
        () => next(state),
        state.query,
        () => giveUp(state, metrics),
      );
    } catch (error) {
      // The client sent an invalid timeout; errors of later stages are responses already.
      if (!(error instanceof StatusError)) throw error;
      const response = errorResponse(error, formOfErrors(state.request));
      return auditing?.refuse(state, response).then(() => response) ?? Promise.resolve(response);
    }
  },
});

function giveUp(state: RequestState, { requests }: Pick<ServerMetrics, "requests">): () => void {
  state.isGivenUp = true;
  state.request.abort?.();
  requests.terminated(state, state.kind, 504);
  return () => requests.endedLate();
}
