import type { Node } from "../../api/core/v1/node/node.ts";
import {
  addQuantities,
  isZeroQuantity,
  parseQuantity,
  type Quantity,
  quantityMilliValue,
} from "../../schema/values/quantity.ts";
import { zoneLabel } from "./endpoint-groups.ts";

/** The share of each zone in the CPUs of all zones. */
export type ZoneRatios = ReadonlyMap<string, number>;

/** How many endpoints each zone should have. */
export interface Allocation {
  readonly minimum: number;
  readonly maximum: number;
  readonly desired: number;
}

/** Why endpoints cannot be distributed among zones. */
export interface AllocationFault {
  readonly fault: string;
}

/** How much overload of an endpoint is tolerated. */
const overload = 0.2;

/** The shares of zones; undefined if nodes lack information, or all are in one zone. */
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

/** How a number of endpoints is distributed among zones. */
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

/** Whether a zone has too few endpoints. */
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

/** Labels of control-plane nodes, which are not counted. */
const notCounted = ["node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"];
