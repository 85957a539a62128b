import type { BalancedAllocationArgs } from "../../configuration/plugin-args.ts";
import { stateKey } from "../../framework/cycle-state.ts";
import type { NodeInfo } from "../../framework/node-info.ts";
import { maxNodeScore, type PluginFactory } from "../../framework/plugin.ts";
import { skip } from "../../framework/status.ts";
import { deviceAmounts } from "../dynamic-resources/device-amounts.ts";
import {
  type Asked,
  askedOf,
  capacityOf,
  isIrrelevant,
  nothingAsked,
  usedOf,
} from "./requested-resources.ts";

const asked = stateKey<Asked>("PreScoreNodeResourcesBalancedAllocation");

/** Prefers nodes whose resource usage would become more balanced. */
export const balancedAllocation: PluginFactory = (args, handle) => {
  const devices = deviceAmounts(handle);
  const { resources = [] } = (args ?? {}) as BalancedAllocationArgs;
  const names = resources.map(({ name }) => name);
  return {
    name: "NodeResourcesBalancedAllocation",
    preScore(state, pod) {
      const wanted = askedOf(pod, { resources, isExact: true, devices });
      if (wanted.amounts.every((amount) => amount === 0)) return skip;
      state.write(asked, wanted);
      return undefined;
    },
    score: (state, _, node) => balanceScore(node, names, state.read(asked) ?? nothingAsked),
  };
};

/**
 * Returns 75 if the pod does not change the balance, more if it improves, less if it gets worse. The
 * pod's requests decide which resources count, with the pod and without it.
 */
function balanceScore(info: NodeInfo, names: readonly string[], wanted: Asked): number {
  const { amounts } = wanted;
  let count = 0;
  // The common case of two resources needs no allocation.
  let [first, second, firstBefore, secondBefore] = [0, 0, 0, 0];
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string;
    const asked = amounts[i] as number;
    if (isIrrelevant(name, asked)) continue;
    const capacity = capacityOf(info, name, wanted);
    if (capacity === 0) continue;
    const used = usedOf(info, name, wanted);
    const before = used >= capacity ? 1 : used / capacity;
    const after = used + asked >= capacity ? 1 : (used + asked) / capacity;
    if (count === 0) {
      first = after;
      firstBefore = before;
    } else if (count === 1) {
      second = after;
      secondBefore = before;
    } else {
      return balanceOfMany(info, names, wanted);
    }
    count++;
  }
  if (count < 2) return combined(0, 0);
  return combined(Math.abs((first - second) / 2), Math.abs((firstBefore - secondBefore) / 2));
}

function balanceOfMany(info: NodeInfo, names: readonly string[], wanted: Asked): number {
  const { amounts } = wanted;
  const after: number[] = [];
  const before: number[] = [];
  for (const [i, name] of names.entries()) {
    const asked = amounts[i] ?? 0;
    if (isIrrelevant(name, asked)) continue;
    const capacity = capacityOf(info, name, wanted);
    if (capacity === 0) continue;
    const used = usedOf(info, name, wanted);
    before.push(Math.min(1, used / capacity));
    after.push(Math.min(1, (used + asked) / capacity));
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
