import { Node } from "../../api/core/v1/node/node.ts";
import { Service } from "../../api/core/v1/service/service.ts";
import { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { coalesceCalls } from "../../base/coalesce-calls.ts";
import type { Log } from "../../base/log.ts";
import type { Informers } from "../../client/informer/informers.ts";
import { mustRun } from "../../platform/run-child.ts";
import { type Cidr, contains, formatIp, parseCidr, parseIp } from "../../schema/values/ip.ts";
import { type BoxAddress, planBalancerRoutes } from "./plan-balancer-routes.ts";

export interface BalancerRoutesOptions {
  readonly informers: Informers;
  readonly boxes: readonly BoxAddress[];
  /** The ranges of the load balancers' addresses, of which this machine has no other routes. */
  readonly ranges: readonly string[];
  readonly log: Log;
}

/**
 * Has this machine send packets to load balancers through a box that serves them, as services and nodes change. The
 * routes go with the interfaces of the boxes.
 */
export function openBalancerRoutes(options: BalancerRoutesOptions): { close(): Promise<void> } {
  const { informers, boxes, log } = options;
  const ranges = options.ranges.map(parseRange);
  const services = informers.of(Service);
  const slices = informers.of(EndpointSlice);
  const nodes = informers.of(Node);
  const all = [services, slices, nodes] as const;
  let isClosed = false;
  const apply = coalesceCalls(async () => {
    if (isClosed || !all.every(({ hasSynced }) => hasSynced)) return;
    const plan = planBalancerRoutes({
      ...{ boxes, ranges },
      ...{ services: services.list(), slices: slices.list(), nodes: nodes.list() },
    });
    try {
      await applyRoutes(plan, ranges);
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

function parseRange(text: string): Cidr {
  const range = parseCidr(text);
  if (!range) throw new Error(`${text} is not a range of addresses`);
  return range;
}

/** The number by which these routes are recognized. */
const protocol = "89";

async function applyRoutes(
  plan: ReadonlyMap<string, string>,
  ranges: readonly Cidr[],
): Promise<void> {
  const versions = [...new Set(ranges.map(({ ip }) => ip.version))];
  const present = (await Promise.all(versions.map(presentRoutes))).flat();
  const found = new Map(
    present.flatMap(({ dst, gateway }): [string, string | undefined][] => {
      const ip = parseIp(dst);
      return ip && ranges.some((range) => contains(range, ip)) ? [[formatIp(ip), gateway]] : [];
    }),
  );
  const commands = [
    ...[...plan]
      .filter(([address, via]) => found.get(address) !== via)
      .map(([address, via]) => `route replace ${address} via ${via} proto ${protocol}`),
    ...[...found.keys()]
      .filter((address) => !plan.has(address))
      .map((address) => `route delete ${address} proto ${protocol}`),
  ];
  if (commands.length > 0)
    await mustRun("ip", ["-batch", "-"], { input: `${commands.join("\n")}\n` });
}

async function presentRoutes(
  version: 4 | 6,
): Promise<readonly { dst: string; gateway?: string }[]> {
  const text = await mustRun("ip", [`-${version}`, "-json", "route", "show", "proto", protocol]);
  return JSON.parse(text.trim() || "[]") as readonly { dst: string; gateway?: string }[];
}
