import { forbiddenTo } from "../../authorization/authorize.ts";
import type { Authorizer } from "../../authorization/authorizer.ts";
import type { ServerMetrics } from "../../metrics/server-metrics.ts";
import { internalServerError } from "../internal-server-error.ts";
import type { Stage } from "../stage.ts";

/** Rejects what the caller is not allowed to do. */
export const authorizeCaller = ({
  authorizer,
  metrics: { access },
  ticks,
}: {
  readonly authorizer: Authorizer;
  readonly metrics: Pick<ServerMetrics, "access">;
  readonly ticks: () => number;
}): Stage => ({
  name: "authorize",
  async before({ attributes, audit, request }) {
    const begun = ticks();
    const { verdict, reason, error } = await authorizer.authorize(attributes);
    const isFault = verdict !== "allow" && error !== undefined;
    access.authorized(isFault ? "error" : verdict, begun, ticks());
    if (isFault) {
      audit?.annotate("authorization.k8s.io/reason", "internal error");
      return internalServerError(request, error);
    }
    audit?.annotate("authorization.k8s.io/decision", verdict === "allow" ? "allow" : "forbid");
    audit?.annotate("authorization.k8s.io/reason", reason);
    if (verdict !== "allow") throw forbiddenTo(attributes, reason);
    return undefined;
  },
});
