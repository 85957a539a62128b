import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { PodGroup } from "../../api/scheduling/v1alpha2/pod-group.ts";
import { quote } from "../../schema/values/quote.ts";
import { actions, podResource } from "../framework/cluster-event.ts";
import type { Handle } from "../framework/handle.ts";
import type { PermitResult, PluginFactory } from "../framework/plugin.ts";
import { errorStatus, type Status, status } from "../framework/status.ts";
import { groupKeyOf, isSameGroup, type PodGroupState } from "../pod-groups/pod-group-states.ts";

const name = "GangScheduling";
/** How long pods of a gang wait for each other before they are bound. */
const permitTimeoutMs = 5 * 60_000;

/** Schedules the pods of a group with the policy `gang` together, or not at all. */
export const gangScheduling: PluginFactory = (_, handle) => {
  const groups = handle.informer(PodGroup);
  const groupOf = ({ metadata, spec }: Pod): PodGroup | undefined => {
    const { podGroupName } = spec.schedulingGroup ?? {};
    return groups.get({ namespace: metadata.namespace, name: podGroupName ?? "" });
  };
  return {
    name,

    eventsToRegister: () => [
      {
        event: { resource: podResource, action: actions.add },
        hint: (pod, { now }) => (isSameGroup(pod, now as Pod) ? "Queue" : "QueueSkip"),
      },
      {
        event: { resource: "scheduling.k8s.io/PodGroup", action: actions.add },
        hint: (pod, { now }) => (isGroupOf(now as PodGroup, pod) ? "Queue" : "QueueSkip"),
      },
    ],

    preEnqueue(pod) {
      if (!pod.spec.schedulingGroup) return undefined;
      const group = groupOf(pod);
      if (!group)
        return status(
          "UnschedulableAndUnresolvable",
          `waiting for pods's pod group ${quote(pod.spec.schedulingGroup.podGroupName ?? "")} to appear in scheduling queue`,
        );
      const { gang } = group.spec.schedulingPolicy;
      if (!gang) return undefined;
      const state = stateOf(pod, handle);
      if ("code" in state) return state;
      if (state.podCount >= gang.minCount) return undefined;
      return status(
        "UnschedulableAndUnresolvable",
        "waiting for minCount pods from a gang to appear in scheduling queue",
      );
    },

    permit({ isTrial }, { pod }) {
      if (!pod.spec.schedulingGroup) return undefined;
      const group = groupOf(pod);
      if (!group) return failed(`failed to get podGroup ${groupKeyOf(pod)}: it was deleted`);
      const { gang } = group.spec.schedulingPolicy;
      if (!gang) return undefined;
      const state = stateOf(pod, handle);
      if ("code" in state) return { status: state };
      if (state.scheduledCount < gang.minCount) {
        // In a trial, the others are tried as well.
        if (!isTrial) handle.activate(state.unscheduled());
        return {
          status: status("Wait", "waiting for minCount pods from a gang to be scheduled"),
          timeoutMs: permitTimeoutMs,
        };
      }
      for (const uid of state.assumed()) handle.waitingPod(uid)?.allow(name);
      return undefined;
    },
  };
};

function stateOf(pod: Pod, { podGroups }: Handle): PodGroupState | Status {
  const key = groupKeyOf(pod) ?? "";
  return (
    podGroups.get(key) ??
    errorStatus(new Error(`pod group state not found for pod group ${key}`), name)
  );
}

const failed = (message: string): PermitResult => ({ status: errorStatus(new Error(message)) });

const isGroupOf = ({ metadata }: PodGroup, pod: Pod): boolean =>
  groupKeyOf(pod) === `${metadata.namespace}/${metadata.name}`;
