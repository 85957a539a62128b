import type { Auditing } from "../../audit/auditing.ts";
import type { RequestAudit } from "../../audit/request-audit.ts";
import { removedIn } from "../../metrics/request-labels.ts";
import type { ApiResponse } from "../request.ts";
import type { RequestState } from "../request-state.ts";
import { whenEnded } from "../response-end.ts";
import type { Stage } from "../stage.ts";

/** Sends the audit events of responses: when a long one starts, and when it is complete. */
export const audit = ({ auditing }: { readonly auditing?: Auditing | undefined }): Stage => ({
  name: "audit",
  around(next) {
    if (!auditing) return next;
    return async (state) => {
      const response = await next(state);
      if (!state.isAuthenticated) {
        await auditing.refuse(state, response);
        return response;
      }
      return state.audit ? audited(response, state, state.audit) : response;
    };
  },
});

async function audited(
  response: ApiResponse,
  state: RequestState,
  begun: RequestAudit,
): Promise<ApiResponse> {
  if (state.panic !== undefined) {
    begun.panicked(state.panic);
    await begun.reach("Panic");
    return response;
  }
  begun.responded(response);
  if (state.isLongRunning) await begun.reach("ResponseStarted");
  const streamed = whenEnded(response, () => {
    noteDeprecation(state, begun);
    return begun.reach("ResponseComplete");
  });
  if (streamed) return streamed;
  noteDeprecation(state, begun);
  const taken = begun.reach("ResponseComplete");
  if (taken instanceof Promise) await taken;
  return response;
}

function noteDeprecation({ kind }: RequestState, begun: RequestAudit): void {
  if (!kind?.deprecated) return;
  begun.annotate("k8s.io/deprecated", "true");
  const release = removedIn(kind);
  if (release !== "") begun.annotate("k8s.io/removed-release", release);
}
