import type { Node } from "../../api/core/v1/node/node.ts";
import type { Taint } from "../../api/core/v1/scheduling/taint.ts";
import { isSameTaint, taintKey } from "../../api/core/v1/scheduling/well-known-taint.ts";

/** Taints to add to a node, and to remove from it. */
export interface TaintChanges {
  readonly add: readonly Taint[];
  readonly remove: readonly Taint[];
}

/**
 * The NoSchedule taints for a node's conditions and `spec.unschedulable`: those that are missing, and those
 * that no longer apply. Taints with other keys are left alone.
 */
export function conditionTaintChanges({ spec, status }: Node): TaintChanges {
  const wanted: Taint[] = [];
  for (const { type, status: is } of status.conditions ?? []) {
    const key = keyOf[type]?.[is];
    if (key !== undefined) wanted.push({ key, effect });
  }
  if (spec.unschedulable) wanted.push({ key: taintKey.unschedulable, effect });
  const present = (spec.taints ?? []).filter(
    (taint) => taint.effect === effect && ownKeys.has(taint.key),
  );
  return {
    add: wanted.filter((taint) => !present.some((one) => isSameTaint(one, taint))),
    remove: present.filter((taint) => !wanted.some((one) => isSameTaint(one, taint))),
  };
}

const effect = "NoSchedule";

/** The key of the taint for a condition, by type and status. */
const keyOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: taintKey.notReady, Unknown: taintKey.unreachable },
  MemoryPressure: { True: taintKey.memoryPressure },
  DiskPressure: { True: taintKey.diskPressure },
  NetworkUnavailable: { True: taintKey.networkUnavailable },
  PIDPressure: { True: taintKey.pidPressure },
};
const ownKeys: ReadonlySet<string> = new Set([
  taintKey.unschedulable,
  ...Object.values(keyOf).flatMap((keys) => Object.values(keys)),
]);
