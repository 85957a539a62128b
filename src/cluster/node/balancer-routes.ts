import { Node } from "../../api/core/v1/node/node.ts";
import { Service } from "../../api/core/v1/service/service.ts";
import { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { coalesceCalls } from "../../base/coalesce-calls.ts";
import type { Log } from "../../base/log.ts";
import type { Informers } from "../../client/informer/informers.ts";
import { contains, parseAddress, parseSubnet, type Subnet } from "../../engine/network/ipv4.ts";
import { mustRun } from "../../platform/run-child.ts";
import { type BoxAddress, planBalancerRoutes } from "./plan-balancer-routes.ts";

export interface BalancerRoutesOptions {
  readonly informers: Informers;
  readonly boxes: readonly BoxAddress[];
  /** The range of the load balancers' addresses, of which this machine has no other routes. */
  readonly range: string;
  readonly log: Log;
}

/**
 * Has this machine send packets to load balancers through a box that serves them, as services and nodes change. The
 * routes go with the interfaces of the boxes.
 */
export function openBalancerRoutes(options: BalancerRoutesOptions): { close(): Promise<void> } {
  const { informers, boxes, log } = options;
  const range = parseSubnet(options.range);
  if (!range) throw new Error(`${options.range} is not a range of IPv4`);
  const services = informers.of(Service);
  const slices = informers.of(EndpointSlice);
  const nodes = informers.of(Node);
  const all = [services, slices, nodes] as const;
  let isClosed = false;
  const apply = coalesceCalls(async () => {
    if (isClosed || !all.every(({ hasSynced }) => hasSynced)) return;
    const plan = planBalancerRoutes({
      ...{ boxes, range },
      ...{ services: services.list(), slices: slices.list(), nodes: nodes.list() },
    });
    try {
      await applyRoutes(plan, range);
    } catch (error) {
      log.error("routing to load balancers failed", error);
    }
  });
  let running = Promise.resolve();
  const changed = (): void => {
    running = apply();
  };
  const handler = { added: changed, updated: changed, deleted: changed };
  for (const informer of all) {
    informer.addHandler(handler);
    informer.synced().then(changed, () => {});
  }
  return {
    async close() {
      isClosed = true;
      for (const informer of all) informer.close();
      await running;
    },
  };
}

/** The number by which these routes are recognized. */
const protocol = "89";

async function applyRoutes(plan: ReadonlyMap<string, string>, range: Subnet): Promise<void> {
  const found = new Map(
    (await presentRoutes()).flatMap(({ dst, gateway }): [string, string | undefined][] => {
      const address = parseAddress(dst);
      return address !== undefined && contains(range, address) ? [[dst, gateway]] : [];
    }),
  );
  const commands = [
    ...[...plan]
      .filter(([address, via]) => found.get(address) !== via)
      .map(([address, via]) => `route replace ${address}/32 via ${via} proto ${protocol}`),
    ...[...found.keys()]
      .filter((address) => !plan.has(address))
      .map((address) => `route delete ${address}/32 proto ${protocol}`),
  ];
  if (commands.length > 0)
    await mustRun("ip", ["-batch", "-"], { input: `${commands.join("\n")}\n` });
}

async function presentRoutes(): Promise<readonly { dst: string; gateway?: string }[]> {
  const text = await mustRun("ip", ["-json", "route", "show", "proto", protocol]);
  return JSON.parse(text.trim() || "[]") as readonly { dst: string; gateway?: string }[];
}
