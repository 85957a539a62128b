import type { Entropy } from "../../../base/entropy.ts";
import type { Delegates } from "../../aggregation/delegates.ts";
import type { Stage } from "../stage.ts";

/** Has others respond to requests for versions that the verbs of this server do not serve. */
export const delegate = ({
  delegates,
  entropy,
}: {
  readonly delegates: Pick<Delegates, "respondTo">;
  readonly entropy: Entropy;
}): Stage => ({
  name: "delegate",
  before(state) {
    const respond = delegates.respondTo(state.target);
    if (!respond) return undefined;
    const { request, attributes } = state;
    state.auditId ??= request.headers["audit-id"] || entropy.uuid();
    return respond(request, { user: attributes.user, auditId: state.auditId });
  },
});
