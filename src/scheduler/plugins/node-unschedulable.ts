import type { Node } from "../../api/core/v1/node/node.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { isTolerated } from "../../api/core/v1/scheduling/taint-toleration.ts";
import { actions, nodeResource, podResource } from "../framework/cluster-event.ts";
import type { PluginFactory } from "../framework/plugin.ts";
import { skip, status } from "../framework/status.ts";

/** Keeps pods off cordoned nodes, unless they tolerate it. */
export const nodeUnschedulable: PluginFactory = () => {
  const cordoned = status("UnschedulableAndUnresolvable", "node(s) were unschedulable");
  const toleratesIt = ({ spec }: Pod): boolean =>
    isTolerated(
      { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" },
      spec.tolerations,
    );
  return {
    name: "NodeUnschedulable",
    preFilter: (_, { pod }) => (toleratesIt(pod) ? skip : undefined),
    filter: (_, _pod, { node }) => (node?.spec.unschedulable ? cordoned : undefined),
    eventsToRegister: () => [
      {
        event: { resource: nodeResource, action: actions.add | actions.updateNodeTaint },
        hint(_, change) {
          const [now, old] = [change.now as Node, change.old as Node | undefined];
          const isFreed = !now.spec.unschedulable && (!old || old.spec.unschedulable === true);
          return isFreed ? "Queue" : "QueueSkip";
        },
      },
      {
        event: { resource: podResource, action: actions.updatePodToleration },
        hint(pod, { now }) {
          const isIt = (now as Pod).metadata.uid === pod.metadata.uid;
          return isIt && toleratesIt(now as Pod) ? "Queue" : "QueueSkip";
        },
      },
    ],
  };
};
