import { actions, nodeResource } from "../framework/cluster-event.ts";
import type { PluginFactory } from "../framework/plugin.ts";
import { skip, status } from "../framework/status.ts";

/** Restricts a pod to the node in its spec. */
export const nodeName: PluginFactory = () => {
  const another = status(
    "UnschedulableAndUnresolvable",
    "node(s) didn't match the requested node name",
  );
  return {
    name: "NodeName",
    // Pods with a node name are not scheduled; plugins may simulate them.
    preFilter: (_, { pod }) => (pod.spec.nodeName ? undefined : skip),
    filter: (_, { pod }, node) => (pod.spec.nodeName === node.name ? undefined : another),
    eventsToRegister: () => [{ event: { resource: nodeResource, action: actions.add } }],
  };
};
