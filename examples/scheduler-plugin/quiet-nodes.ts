import { actions, nodeResource, type PluginFactory, status } from "wherry/scheduler";

export const annotation = "example.com/quiet-hours";

/**
 * Keeps pods off nodes with the annotation `example.com/quiet-hours`, unless the pod has it, too. Among
 * the other nodes, it prefers those with the fewest pods.
 */
export const quietNodes: PluginFactory = (args) => {
  const { reason = "node(s) had quiet hours" } = (args ?? {}) as { readonly reason?: string };
  const isQuiet = status("UnschedulableAndUnresolvable", reason);
  return {
    name: "QuietNodes",
    filter: (_, { pod }, { node }) =>
      node?.metadata.annotations?.[annotation] === undefined ||
      pod.metadata.annotations?.[annotation] !== undefined
        ? undefined
        : isQuiet,
    score: (_, _pod, { pods }) => Math.max(0, 100 - pods.length),
    // A rejected pod is worth another attempt when a node is added or its annotations change.
    eventsToRegister: () => [
      { event: { resource: nodeResource, action: actions.add | actions.updateNodeAnnotation } },
    ],
  };
};
