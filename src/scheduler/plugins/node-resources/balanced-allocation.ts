import type { BalancedAllocationArgs } from "../../configuration/plugin-args.ts";
import { stateKey } from "../../framework/cycle-state.ts";
import type { NodeInfo } from "../../framework/node-info.ts";
import { maxNodeScore, type PluginFactory } from "../../framework/plugin.ts";
import { skip } from "../../framework/status.ts";
import { askedOf, isBesideThePoint } from "./asked-resources.ts";

const asked = stateKey<readonly number[]>("PreScoreNodeResourcesBalancedAllocation");

/** Prefers nodes whose resources a pod would make be used more evenly. */
export const balancedAllocation: PluginFactory = (args) => {
  const { resources = [] } = (args ?? {}) as BalancedAllocationArgs;
  const names = resources.map(({ name }) => name);
  return {
    name: "NodeResourcesBalancedAllocation",
    preScore(state, pod) {
      const amounts = askedOf(pod, { resources, isExact: true });
      if (amounts.every((amount) => amount === 0)) return skip;
      state.write(asked, amounts);
      return undefined;
    },
    score(state, _, node) {
      const amounts = state.read(asked) ?? [];
      return balanceScore(node, names, amounts);
    },
  };
};

/** 75 where the pod changes nothing, more where use becomes more even, less where less. */
function balanceScore(
  node: NodeInfo,
  names: readonly string[],
  amounts: readonly number[],
): number {
  const half = maxNodeScore / 2;
  const evenness = evennessOf(node, names, amounts);
  const before = evennessOf(node, names, undefined, amounts);
  return half + Math.trunc((half + evenness - before) / 2);
}

/**
 * 100 where the same share of each resource is used, less the further shares are apart. Which resources
 * count is decided by what the pod asks for, with it and without it.
 */
function evennessOf(
  { allocatable, requested }: NodeInfo,
  names: readonly string[],
  added: readonly number[] | undefined,
  amounts = added,
): number {
  shares.length = 0;
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string;
    const capacity = allocatable.of(name);
    if (capacity === 0 || isBesideThePoint(name, amounts?.[i] ?? 0)) continue;
    shares.push(Math.min(1, (requested.of(name) + (added?.[i] ?? 0)) / capacity));
  }
  return Math.trunc((1 - deviation(shares)) * maxNodeScore);
}

/** Used for one node after the other, so that none costs memory. */
const shares: number[] = [];

function deviation(values: readonly number[]): number {
  const [first = 0, second = 0] = values;
  if (values.length < 2) return 0;
  if (values.length === 2) return Math.abs((first - second) / 2);
  let sum = 0;
  for (const value of values) sum += value;
  const mean = sum / values.length;
  let squares = 0;
  for (const value of values) squares += (value - mean) * (value - mean);
  return Math.sqrt(squares / values.length);
}
