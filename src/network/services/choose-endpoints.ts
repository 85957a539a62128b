import type { ProxiedEndpoint } from "./proxied-endpoints.ts";
import { isExternal, type ProxiedPort } from "./proxied-port.ts";

/** The place of a node. */
export interface NodePlace {
  readonly name: string;
  /** Empty if it is not known. */
  readonly zone: string;
}

/** The endpoints of a port that a node sends traffic to. */
export interface ChosenEndpoints {
  /** For traffic that may go to any node. */
  readonly cluster: readonly ProxiedEndpoint[];
  /** For traffic that must stay on this node. */
  readonly local: readonly ProxiedEndpoint[];
  /** Whether any node has an endpoint that takes traffic. */
  readonly areAnywhere: boolean;
}

/**
 * Chooses by traffic policies, hints and the endpoints' conditions. Ready endpoints are used; where none is ready,
 * those that are ending but still serve.
 */
export function chooseEndpoints(
  endpoints: readonly ProxiedEndpoint[],
  port: ProxiedPort,
  node: NodePlace,
): ChosenEndpoints {
  const takesAll = !port.isInternalLocal || isExternal(port);
  const takesLocal = port.isInternalLocal || (port.isExternalLocal && isExternal(port));
  const cluster = takesAll ? inCluster(endpoints, node) : [];
  if (!takesLocal) return { cluster, local: [], areAnywhere: cluster.length > 0 };
  return {
    cluster,
    local: best(endpoints.filter(({ isLocal }) => isLocal)),
    areAnywhere: cluster.length > 0 || best(endpoints).length > 0,
  };
}

/** The ready endpoints; if there are none, those that serve while they end. */
function best(endpoints: readonly ProxiedEndpoint[]): readonly ProxiedEndpoint[] {
  const ready = endpoints.filter(({ isReady }) => isReady);
  if (ready.length > 0) return ready;
  return endpoints.filter(({ isServing, isTerminating }) => isServing && isTerminating);
}

/** The endpoints near the node, if hints say which ones, or all. */
function inCluster(
  endpoints: readonly ProxiedEndpoint[],
  { name, zone }: NodePlace,
): readonly ProxiedEndpoint[] {
  const found = best(endpoints);
  if (!found.every(({ isReady }) => isReady)) return found;
  return hinted(found, "forNodes", name) ?? hinted(found, "forZones", zone) ?? found;
}

/** Hints count only if each endpoint has one, and this place is among them. */
function hinted(
  endpoints: readonly ProxiedEndpoint[],
  hints: "forNodes" | "forZones",
  place: string,
): readonly ProxiedEndpoint[] | undefined {
  if (!endpoints.every((endpoint) => endpoint[hints].length > 0)) return undefined;
  const near = endpoints.filter((endpoint) => endpoint[hints].includes(place));
  return near.length > 0 ? near : undefined;
}
