import type { Node } from "../../api/core/v1/node/node.ts";
import { announces } from "../../network/routes/plan-routes.ts";
import { formatCidr, masked, parseCidr } from "../../schema/values/ip.ts";
import { type BoxAddress, isReady } from "./plan-balancer-routes.ts";

/**
 * The ranges of pods of machines that have joined, and the address of the box through which this machine reaches them:
 * the first one that is ready, as each has a tunnel to them.
 */
export function planJoinedRoutes({
  nodes,
  boxes,
}: {
  readonly nodes: readonly Node[];
  readonly boxes: readonly BoxAddress[];
}): ReadonlyMap<string, string> {
  const ready = new Set(nodes.filter(isReady).map(({ metadata }) => metadata.name));
  const box = boxes.find(({ name }) => ready.has(name));
  const names: ReadonlySet<string | undefined> = new Set(boxes.map(({ name }) => name));
  const routes = new Map<string, string>();
  for (const node of nodes) {
    if (names.has(node.metadata.name) || !announces(node)) continue;
    for (const text of node.spec.podCIDRs ?? []) {
      const range = parseCidr(text);
      const via = range?.ip.version === 4 ? box?.address : box?.ipv6?.address;
      if (range && via !== undefined) routes.set(formatCidr(masked(range)), via);
    }
  }
  return routes;
}
