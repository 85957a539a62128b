import type { DaemonSet } from "../../api/apps/v1/daemon-set.ts";
import type { Node } from "../../api/core/v1/node/node.ts";
import { requiredNodeMatch } from "../../api/core/v1/scheduling/node-affinity-match.ts";
import { isTolerated } from "../../api/core/v1/scheduling/taint-toleration.ts";
import { daemonTolerations } from "./daemon-pod.ts";

/** Whether a node should have a pod of a daemon set. */
export interface Placement {
  /** Whether a pod is to be created if there is none. */
  readonly shouldRun: boolean;
  /** Whether a pod that is there may stay. */
  readonly mayStay: boolean;
}

/** Decides for each node by its name, its labels and its taints; whether it has room is the scheduler's business. */
export function daemonSetPlacement({ spec }: DaemonSet): (node: Node) => Placement {
  const pod = spec.template.spec;
  const meets = requiredNodeMatch(pod);
  const tolerations = daemonTolerations(pod);
  return (node) => {
    const isNamed = !pod.nodeName || pod.nodeName === node.metadata.name;
    if (!isNamed || !meets(node)) return { shouldRun: false, mayStay: false };
    const untolerated = new Set(
      (node.spec.taints ?? [])
        .filter((taint) => !isTolerated(taint, tolerations))
        .map(({ effect }) => effect),
    );
    const mayStay = !untolerated.has("NoExecute");
    return { shouldRun: mayStay && !untolerated.has("NoSchedule"), mayStay };
  };
}
