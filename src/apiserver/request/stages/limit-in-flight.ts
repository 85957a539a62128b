import type { ServerMetrics } from "../../metrics/server-metrics.ts";
import type { AnyKind } from "../../objects/object.ts";
import type { Resources } from "../../objects/resources.ts";
import { type InFlight, isProbe, limitOf, tooManyRequests } from "../load/in-flight.ts";
import type { RequestTarget } from "../request-info.ts";
import type { Stage } from "../stage.ts";

/** Rejects requests when too many are in flight. Long-running requests and health probes do not count. */
export const limitInFlight = ({
  inFlight,
  metrics: { requests },
  resources,
}: {
  readonly inFlight: InFlight;
  readonly metrics: Pick<ServerMetrics, "requests">;
  readonly resources: Pick<Resources, "find">;
}): Stage => ({
  name: "limit",
  around: (next) => async (state) => {
    const { attributes } = state;
    if (state.isLongRunning || isProbe(attributes)) return next(state);
    const limit = limitOf(attributes);
    if (!inFlight.enter(limit, attributes.user.groups)) {
      requests.terminated(state, kindOf(state.target, resources), 429);
      return tooManyRequests();
    }
    try {
      return await next(state);
    } finally {
      inFlight.leave(limit);
    }
  },
});

/** The kind for the metrics: the stage that finds and checks it has not run yet. */
export function kindOf(
  target: RequestTarget,
  resources: Pick<Resources, "find">,
): AnyKind | undefined {
  if (target.type !== "resource") return undefined;
  const { group, version, resource } = target.resource;
  return resources.find(group, version, resource);
}
