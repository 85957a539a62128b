import type { ReconcileContext } from "../../controller-runtime/reconcile/controller-definition.ts";
import type { AttachDetachMetrics } from "./attach-detach-metrics.ts";
import type { Attempts } from "./attempts.ts";

/** What no object says, by the names of node and volume. */
export interface AttachDetachMemory {
  /** Since when no pod has needed what is attached. */
  readonly unwantedSince: Map<string, number>;
  /** The volumes whose attachment to another node pods have been told of. */
  readonly told: Set<string>;
  /** The volumes that nodes used when they were last seen. */
  readonly lastInUse: Map<string, ReadonlySet<string>>;
  readonly attempts: Attempts;
  /** Since when volumes are being detached. */
  readonly detachingSince: Map<string, number>;
}

export interface NodeContext extends Omit<ReconcileContext, "metrics"> {
  readonly name: string;
  readonly memory: AttachDetachMemory;
  readonly metrics: AttachDetachMetrics;
  readonly forcesOnTimeout: boolean;
}

/** The key of a volume on a node in the memory. */
export const memoryKey = (nodeName: string, uniqueName: string): string =>
  `${nodeName}/${uniqueName}`;
