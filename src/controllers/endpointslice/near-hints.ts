import type { Service } from "../../api/core/v1/service/service.ts";
import type { Endpoint, EndpointHints } from "../../api/discovery/v1/endpoint.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import type { SlicePlan, WantedSlice } from "./plan-slices.ts";

/** The traffic distribution of a service; undefined if there is none. */
export function nearnessOf({ spec }: Service): "zone" | "node" | undefined {
  const { trafficDistribution = "" } = spec;
  if (trafficDistribution === "PreferSameNode") return "node";
  return ["PreferClose", "PreferSameZone"].includes(trafficDistribution) ? "zone" : undefined;
}

/** The plan with hints that keep traffic in its zone or on its node. */
export function withNearHints(plan: SlicePlan, nearness: "zone" | "node"): SlicePlan {
  const hinted = (endpoint: Endpoint): Endpoint => {
    if (endpoint.conditions?.ready !== true) return endpoint;
    const { hints: _, ...rest } = endpoint;
    const hints = nearHints(endpoint, nearness);
    return hints ? { ...rest, hints } : rest;
  };
  return withHints(plan, hinted);
}

/** The plan without any hints. */
export const withoutHints = (plan: SlicePlan): SlicePlan =>
  withHints(plan, ({ hints: _, ...endpoint }) => endpoint);

/** The plan with `hinted` applied to every endpoint; slices that change are updated. */
function withHints(plan: SlicePlan, hinted: (endpoint: Endpoint) => Endpoint): SlicePlan {
  const change = <S extends WantedSlice>(slice: S): S => ({
    ...slice,
    endpoints: (slice.endpoints ?? []).map(hinted),
  });
  const isRight = (slice: WantedSlice): boolean =>
    (slice.endpoints ?? []).every((endpoint) => sameJson(hinted(endpoint), endpoint));
  return {
    ...plan,
    create: plan.create.map(change),
    update: [...plan.update, ...plan.unchanged.filter((slice) => !isRight(slice))].map(change),
    unchanged: plan.unchanged.filter(isRight),
  };
}

function nearHints(
  { zone, nodeName }: Endpoint,
  nearness: "zone" | "node",
): EndpointHints | undefined {
  const forZones = zone !== undefined && { forZones: [{ name: zone }] };
  const forNodes = nearness === "node" &&
    nodeName !== undefined && { forNodes: [{ name: nodeName }] };
  return forZones || forNodes ? { ...forZones, ...forNodes } : undefined;
}
