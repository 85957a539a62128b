import { forbiddenTo } from "../../authorization/authorize.ts";
import type { Authorizer } from "../../authorization/authorizer.ts";
import type { ServerMetrics } from "../../metrics/server-metrics.ts";
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
  async before({ attributes, audit }) {
    const begun = ticks();
    const { verdict, reason } = await authorizer.authorize(attributes);
    access.authorized(verdict, begun, ticks());
    audit?.annotate("authorization.k8s.io/decision", verdict === "allow" ? "allow" : "forbid");
    audit?.annotate("authorization.k8s.io/reason", reason);
    if (verdict !== "allow") throw forbiddenTo(attributes, reason);
    return undefined;
  },
});
