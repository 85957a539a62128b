import type { Node } from "../node/node.ts";
import type { Taint } from "./taint.ts";

/** The keys of taints that mean something to Kubernetes itself. */
export const taintKey = {
  notReady: "node.kubernetes.io/not-ready",
  unreachable: "node.kubernetes.io/unreachable",
  unschedulable: "node.kubernetes.io/unschedulable",
  memoryPressure: "node.kubernetes.io/memory-pressure",
  diskPressure: "node.kubernetes.io/disk-pressure",
  pidPressure: "node.kubernetes.io/pid-pressure",
  networkUnavailable: "node.kubernetes.io/network-unavailable",
  outOfService: "node.kubernetes.io/out-of-service",
  uninitialized: "node.cloudprovider.kubernetes.io/uninitialized",
} as const;

/** Taints are the same by key and effect, whatever their values. */
export const isSameTaint = (
  a: Pick<Taint, "key" | "effect">,
  b: Pick<Taint, "key" | "effect">,
): boolean => a.key === b.key && a.effect === b.effect;

/** Whether a node has a taint. */
export const hasTaint = ({ spec }: Node, taint: Pick<Taint, "key" | "effect">): boolean =>
  spec.taints?.some((one) => isSameTaint(one, taint)) ?? false;

/** Whether a node is tainted as out of service: its pods are gone for good, and do not use volumes any more. */
export const isTaintedOutOfService = ({ spec }: Node): boolean =>
  spec.taints?.some(({ key }) => key === taintKey.outOfService) ?? false;
