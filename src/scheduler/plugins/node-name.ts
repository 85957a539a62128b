import { actions, nodeResource } from "../framework/cluster-event.ts";
import type { PluginFactory } from "../framework/plugin.ts";
import { skip, status } from "../framework/status.ts";

/** The node that a pod names, and no other. */
export const nodeName: PluginFactory = () => {
  const another = status(
    "UnschedulableAndUnresolvable",
    "node(s) didn't match the requested node name",
  );
  return {
    name: "NodeName",
    // A pod that names a node is not scheduled, but for those that plugins think up.
    preFilter: (_, { pod }) => (pod.spec.nodeName ? undefined : skip),
    filter: (_, { pod }, node) => (pod.spec.nodeName === node.name ? undefined : another),
    eventsToRegister: () => [{ event: { resource: nodeResource, action: actions.add } }],
  };
};
