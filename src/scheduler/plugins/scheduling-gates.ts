import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { actions, podResource } from "../framework/cluster-event.ts";
import type { PluginFactory } from "../framework/plugin.ts";
import { status } from "../framework/status.ts";

/** Keeps pods with scheduling gates out of the active queue. */
export const schedulingGates: PluginFactory = () => ({
  name: "SchedulingGates",
  preEnqueue({ spec }) {
    const gates = (spec.schedulingGates ?? []).map(({ name }) => name);
    if (gates.length === 0) return undefined;
    return status(
      "UnschedulableAndUnresolvable",
      `waiting for scheduling gates: [${gates.join(" ")}]`,
    );
  },
  eventsToRegister: () => [
    {
      event: { resource: podResource, action: actions.updatePodSchedulingGatesEliminated },
      hint: (pod, { now }) =>
        (now as Pod).metadata.uid === pod.metadata.uid ? "Queue" : "QueueSkip",
    },
  ],
});
