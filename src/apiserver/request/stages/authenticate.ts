import { type Authentication, authenticate } from "../../authentication/authenticate.ts";
import { requestAttributes } from "../../authorization/attributes.ts";
import type { ServerMetrics } from "../../metrics/server-metrics.ts";
import type { User } from "../identity.ts";
import type { Stage } from "../stage.ts";

/** Finds out who the caller is, by client certificate or token; rejects invalid credentials. */
export const authenticateCaller = ({
  authentication,
  metrics: { access },
  ticks,
}: {
  readonly authentication: Authentication;
  readonly metrics: Pick<ServerMetrics, "access">;
  readonly ticks: () => number;
}): Stage => ({
  name: "authenticate",
  async before(state) {
    const { request, target, query } = state;
    const begun = ticks();
    let user: User;
    try {
      user = await authenticate(request, authentication, state);
    } catch (error) {
      access.authenticated(undefined, begun, ticks());
      throw error;
    }
    access.authenticated(user.name, begun, ticks());
    state.attributes = requestAttributes(request, { user, target, query });
    return undefined;
  },
});
