import { Node } from "../../api/core/v1/node/node.ts";
import { Service } from "../../api/core/v1/service/service.ts";
import { EndpointSlice } from "../../api/discovery/v1/endpoint-slice.ts";
import { coalesceCalls } from "../../base/coalesce-calls.ts";
import type { Log } from "../../base/log.ts";
import type { Informers } from "../../client/informer/informers.ts";
import { mustRun } from "../../platform/run-child.ts";
import { type Cidr, formatCidr, formatIp, parseCidr, parseIp } from "../../schema/values/ip.ts";
import { type BoxAddress, planBalancerRoutes } from "./plan-balancer-routes.ts";
import { planJoinedRoutes } from "./plan-joined-routes.ts";

export interface MachineRoutesOptions {
  readonly informers: Informers;
  readonly boxes: readonly BoxAddress[];
  /** The ranges of the load balancers' addresses. */
  readonly ranges: readonly string[];
  readonly log: Log;
}

/**
 * Has this machine send packets to load balancers through a box that serves them, and to the pods of machines that
 * have joined through any box, as services and nodes change. The routes go with the interfaces of the boxes.
 */
export function openMachineRoutes(options: MachineRoutesOptions): { close(): Promise<void> } {
  const { informers, boxes, log } = options;
  const ranges = options.ranges.map(parseRange);
  const services = informers.of(Service);
  const slices = informers.of(EndpointSlice);
  const nodes = informers.of(Node);
  const all = [services, slices, nodes] as const;
  let isClosed = false;
  const apply = coalesceCalls(async () => {
    if (isClosed || !all.every(({ hasSynced }) => hasSynced)) return;
    const known = { boxes, ranges, services: services.list(), nodes: nodes.list() };
    const plan = new Map([
      ...planBalancerRoutes({ ...known, slices: slices.list() }),
      ...planJoinedRoutes(known),
    ]);
    try {
      await applyRoutes(plan, boxes);
    } catch (error) {
      log.error("routing through boxes failed", error);
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

/** Routes through other gateways are those of other clusters. */
async function applyRoutes(
  plan: ReadonlyMap<string, string>,
  boxes: readonly BoxAddress[],
): Promise<void> {
  const gateways = new Set(boxes.flatMap(({ address, ipv6 }) => [address, ipv6?.address]));
  const isDual = boxes.some(({ ipv6 }) => ipv6 !== undefined);
  const present = [...(await presentRoutes(4)), ...(isDual ? await presentRoutes(6) : [])].filter(
    ({ gateway }) => gateways.has(gateway),
  );
  const found = new Map(present.map(({ dst, gateway }) => [canonical(dst), gateway]));
  const commands = [
    ...[...plan]
      .filter(([to, via]) => found.get(to) !== via)
      .map(([to, via]) => `route replace ${to} via ${via} proto ${protocol}`),
    ...[...found.keys()]
      .filter((to) => !plan.has(to))
      .map((to) => `route delete ${to} proto ${protocol}`),
  ];
  if (commands.length > 0)
    await mustRun("ip", ["-batch", "-"], { input: `${commands.join("\n")}\n` });
}

/** An address or a range, as plans have it. */
function canonical(text: string): string {
  const ip = parseIp(text);
  const range = parseCidr(text);
  return ip ? formatIp(ip) : range ? formatCidr(range) : text;
}

async function presentRoutes(
  version: 4 | 6,
): Promise<readonly { dst: string; gateway?: string }[]> {
  const text = await mustRun("ip", [`-${version}`, "-json", "route", "show", "proto", protocol]);
  return JSON.parse(text.trim() || "[]") as readonly { dst: string; gateway?: string }[];
}
