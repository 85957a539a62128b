import type { Node } from "../../api/core/v1/node/node.ts";
import {
  addQuantities,
  isZeroQuantity,
  parseQuantity,
  type Quantity,
  quantityMilliValue,
} from "../../schema/values/quantity.ts";
import { zoneLabel } from "./endpoint-groups.ts";

/** Which part of all processors each zone has. */
export type ZoneRatios = ReadonlyMap<string, number>;

/** How many endpoints a zone should get traffic from. */
export interface Allocation {
  readonly minimum: number;
  readonly maximum: number;
  readonly desired: number;
}

/** What is wrong with giving each zone its endpoints. */
export interface AllocationFault {
  readonly fault: string;
}

/** So much more than its part may any endpoint get. */
const overload = 0.2;

/** The parts of the zones; undefined where nodes do not tell enough, or all are in one zone. */
export function zoneRatios(nodes: readonly Node[]): ZoneRatios | undefined {
  const byZone = new Map<string, Quantity>();
  for (const node of nodes) {
    const { labels = {} } = node.metadata;
    if (notCounted.some((label) => label in labels) || !isNodeReady(node)) continue;
    const cpu = parseQuantity(node.status.allocatable?.cpu ?? "0");
    const zone = labels[zoneLabel];
    if (!zone || isZeroQuantity(cpu)) return undefined;
    const before = byZone.get(zone);
    byZone.set(zone, before ? addQuantities(before, cpu) : cpu);
  }
  if (byZone.size < 2) return undefined;
  const total = quantityMilliValue([...byZone.values()].reduce(addQuantities));
  return new Map(
    [...byZone]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([zone, cpu]) => [zone, quantityMilliValue(cpu) / total]),
  );
}

/** How so many endpoints are shared out among the zones. */
export function allocationsOf(
  ratios: ZoneRatios | undefined,
  count: number,
): ReadonlyMap<string, Allocation> | AllocationFault {
  if (!ratios)
    return {
      fault:
        "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes",
    };
  const numbers = `(${count} endpoints, ${ratios.size} zones)`;
  if (ratios.size > count) return { fault: `Insufficient number of endpoints ${numbers}` };
  const minima = [...ratios].map(([zone, ratio]) => {
    const desired = ratio * count;
    return { zone, desired, minimum: Math.ceil(desired * (1 / (1 + overload))) };
  });
  const spare = minima.reduce((left, { minimum }) => left - minimum, count);
  if (spare < 0)
    return {
      fault: `Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${numbers}`,
    };
  return new Map(
    minima.map(({ zone, desired, minimum }) => [
      zone,
      { minimum, maximum: minimum + spare, desired: Math.max(desired, minimum) },
    ]),
  );
}

/** Whether some zone has too few of the endpoints, given how many each has. */
export function isOverloaded(
  hints: ReadonlyMap<string, number>,
  ratios: ZoneRatios | undefined,
): boolean {
  if (hints.size === 0) return false;
  if (!ratios) return true;
  const total = [...hints.values()].reduce((a, b) => a + b, 0);
  return [...ratios].some(
    ([zone, ratio]) => (hints.get(zone) ?? -1) < Math.ceil(total * ratio * (1 / (1 + overload))),
  );
}

export const isNodeReady = ({ status }: Node): boolean =>
  status.conditions?.find(({ type }) => type === "Ready")?.status === "True";

/** Nodes with these labels take no ordinary pods. */
const notCounted = ["node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"];
