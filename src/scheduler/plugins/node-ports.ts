import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { actions, nodeResource, podResource } from "../framework/cluster-event.ts";
import { hostPortsOf, UsedPorts } from "../framework/host-ports.ts";
import type { PluginFactory } from "../framework/plugin.ts";
import { skip, status } from "../framework/status.ts";

/** Keeps pods with conflicting host ports on different nodes. */
export const nodePorts: PluginFactory = () => {
  const taken = status(
    "Unschedulable",
    "node(s) didn't have free ports for the requested pod ports",
  );
  return {
    name: "NodePorts",
    preFilter: (_, { hostPorts }) => (hostPorts.length === 0 ? skip : undefined),
    filter(_, { hostPorts }, { usedPorts }) {
      for (const port of hostPorts) if (usedPorts.conflictsWith(port)) return taken;
      return undefined;
    },
    eventsToRegister: () => [
      {
        event: { resource: podResource, action: actions.delete },
        hint(pod, { old }) {
          const gone = old as Pod;
          if (!gone.spec.nodeName && !gone.status.nominatedNodeName) return "QueueSkip";
          const freed = new UsedPorts();
          for (const port of hostPortsOf(gone)) freed.add(port);
          return hostPortsOf(pod).some((port) => freed.conflictsWith(port)) ? "Queue" : "QueueSkip";
        },
      },
      { event: { resource: nodeResource, action: actions.add } },
    ],
  };
};
