import type { Auditing } from "../../audit/auditing.ts";
import { internalServerError } from "../internal-server-error.ts";
import type { ApiResponse } from "../request.ts";
import type { RequestState } from "../request-state.ts";
import type { Stage } from "../stage.ts";

/** Chooses by the audit policy how a request is audited and sends its first event; rejects one that must be audited and cannot. */
export const auditReceived = ({
  auditing,
}: {
  readonly auditing?: Auditing | undefined;
}): Stage => ({
  name: "audit-received",
  before(state) {
    if (!auditing) return undefined;
    const taken = auditing.receive(state);
    const outcome = (isTaken: boolean) => (isTaken ? undefined : notAudited(state));
    return taken instanceof Promise ? taken.then(outcome) : outcome(taken);
  },
});

/** No more events are sent of a request whose first one was lost. */
function notAudited(state: RequestState): ApiResponse {
  state.audit = undefined;
  return internalServerError(state.request, "failed to store audit event");
}
