import type { ScoringStrategy, UtilizationShapePoint } from "../../configuration/plugin-args.ts";
import type { NodeInfo } from "../../framework/node-info.ts";
import { maxNodeScore } from "../../framework/plugin.ts";
import { type Asked, capacityOf, isIrrelevant, usedOf } from "./requested-resources.ts";

/** Scores the usage of a resource, from 0 to 100. */
export type UseScore = (used: number, capacity: number) => number;

/** Scores a node for a pod's requests. */
export function strategyScore(strategy: ScoringStrategy): (node: NodeInfo, asked: Asked) => number {
  const { resources = [], type } = strategy;
  const isRatio = type === "RequestedToCapacityRatio";
  const score = useScore(strategy);
  return (node, asked) => {
    let sum = 0;
    let weights = 0;
    for (let i = 0; i < resources.length; i++) {
      const { name, weight = 1 } = resources[i] as (typeof resources)[number];
      const own = asked.amounts[i] ?? 0;
      if (isIrrelevant(name, own)) continue;
      const capacity = capacityOf(node, name, asked);
      if (capacity === 0) continue;
      const one = score(usedOf(node, name, asked) + own, capacity);
      // A resource with score 0 on the curve does not count.
      if (isRatio && one <= 0) continue;
      sum += one * weight;
      weights += weight;
    }
    if (weights === 0) return 0;
    return isRatio ? Math.round(sum / weights) : Math.trunc(sum / weights);
  };
}

function useScore({ type, requestedToCapacityRatio }: ScoringStrategy): UseScore {
  switch (type) {
    case "MostAllocated":
      return (used, capacity) => Math.trunc((Math.min(used, capacity) * maxNodeScore) / capacity);
    case "RequestedToCapacityRatio": {
      const curve = brokenLine(requestedToCapacityRatio?.shape ?? []);
      return (used, capacity) => curve(used > capacity ? 100 : Math.trunc((used * 100) / capacity));
    }
    default:
      return (used, capacity) =>
        used > capacity ? 0 : Math.trunc(((capacity - used) * maxNodeScore) / capacity);
  }
}

/**
 * A piecewise linear function, constant before the first point and after the last; scores range from 0
 * to 10.
 */
export function brokenLine(
  shape: readonly UtilizationShapePoint[],
): (utilization: number) => number {
  const points = shape.map(({ utilization, score }) => ({ x: utilization, y: score * 10 }));
  return (x) => {
    const at = points.findIndex((point) => x <= point.x);
    const right = points[at];
    if (!right) return points.at(-1)?.y ?? 0;
    const left = points[at - 1];
    if (!left) return right.y;
    return left.y + Math.trunc(((right.y - left.y) * (x - left.x)) / (right.x - left.x));
  };
}
