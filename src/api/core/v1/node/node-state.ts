import type { Node } from "./node.ts";
import type { NodeCondition } from "./node-status.ts";

/** The condition of a node that is about something. */
export const nodeCondition = ({ status }: Node, type: string): NodeCondition | undefined =>
  status.conditions?.find((one) => one.type === type);

export const isNodeReady = (node: Node): boolean => nodeCondition(node, "Ready")?.status === "True";

/** The zone that a node is in, as one text: its region and its zone; empty where it has neither. */
export function zoneOf({ metadata: { labels = {} } }: Node): string {
  const zone =
    labels["failure-domain.beta.kubernetes.io/zone"] ?? labels["topology.kubernetes.io/zone"] ?? "";
  const region =
    labels["failure-domain.beta.kubernetes.io/region"] ??
    labels["topology.kubernetes.io/region"] ??
    "";
  // No label has a null character in it, so no two zones are confused.
  return region === "" && zone === "" ? "" : `${region}:\0:${zone}`;
}
