import type { BalancedAllocationArgs } from "../../configuration/plugin-args.ts";
import { stateKey } from "../../framework/cycle-state.ts";
import type { NodeInfo } from "../../framework/node-info.ts";
import { maxNodeScore, type PluginFactory } from "../../framework/plugin.ts";
import { skip } from "../../framework/status.ts";
import { isIrrelevant, requestsOf } from "./requested-resources.ts";

const asked = stateKey<readonly number[]>("PreScoreNodeResourcesBalancedAllocation");

/** Prefers nodes whose resource usage would become more balanced. */
export const balancedAllocation: PluginFactory = (args) => {
  const { resources = [] } = (args ?? {}) as BalancedAllocationArgs;
  const names = resources.map(({ name }) => name);
  return {
    name: "NodeResourcesBalancedAllocation",
    preScore(state, pod) {
      const amounts = requestsOf(pod, { resources, isExact: true });
      if (amounts.every((amount) => amount === 0)) return skip;
      state.write(asked, amounts);
      return undefined;
    },
    score: (state, _, node) => balanceScore(node, names, state.read(asked) ?? []),
  };
};

/**
 * Returns 75 if the pod does not change the balance, more if it improves, less if it gets worse. The
 * pod's requests decide which resources count, with the pod and without it.
 */
function balanceScore(
  { allocatable, requested }: NodeInfo,
  names: readonly string[],
  amounts: readonly number[],
): number {
  let count = 0;
  // The common case of two resources needs no allocation.
  let [first, second, firstBefore, secondBefore] = [0, 0, 0, 0];
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string;
    const asked = amounts[i] as number;
    const capacity = allocatable.of(name);
    if (capacity === 0 || isIrrelevant(name, asked)) continue;
    const used = requested.of(name);
    const before = used >= capacity ? 1 : used / capacity;
    const after = used + asked >= capacity ? 1 : (used + asked) / capacity;
    if (count === 0) {
      first = after;
      firstBefore = before;
    } else if (count === 1) {
      second = after;
      secondBefore = before;
    } else {
      return balanceOfMany({ allocatable, requested }, names, amounts);
    }
    count++;
  }
  if (count < 2) return combined(0, 0);
  return combined(Math.abs((first - second) / 2), Math.abs((firstBefore - secondBefore) / 2));
}

function balanceOfMany(
  { allocatable, requested }: Pick<NodeInfo, "allocatable" | "requested">,
  names: readonly string[],
  amounts: readonly number[],
): number {
  const after: number[] = [];
  const before: number[] = [];
  for (const [i, name] of names.entries()) {
    const asked = amounts[i] ?? 0;
    const capacity = allocatable.of(name);
    if (capacity === 0 || isIrrelevant(name, asked)) continue;
    before.push(Math.min(1, requested.of(name) / capacity));
    after.push(Math.min(1, (requested.of(name) + asked) / capacity));
  }
  return combined(deviation(after), deviation(before));
}

/** Combines the standard deviations with the pod and without it. */
function combined(after: number, before: number): number {
  const half = maxNodeScore / 2;
  const evenness = Math.trunc((1 - after) * maxNodeScore);
  const evennessBefore = Math.trunc((1 - before) * maxNodeScore);
  return half + Math.trunc((half + evenness - evennessBefore) / 2);
}

function deviation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) * (value - mean), 0);
  return Math.sqrt(squares / values.length);
}
