import type { Node } from "../../api/core/v1/node/node.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { sameJson } from "../../schema/json/json-value.ts";
import { actions, nodeResource, podResource } from "../framework/cluster-event.ts";
import { stateKey } from "../framework/cycle-state.ts";
import type { PluginFactory } from "../framework/plugin.ts";
import { skip, status } from "../framework/status.ts";

const needed = stateKey<readonly string[]>("PreFilterNodeDeclaredFeatures");

/** Keeps pods off nodes whose kubelets do not declare the features that the pod uses. */
export const nodeDeclaredFeatures: PluginFactory = () => {
  const lacking = status(
    "UnschedulableAndUnresolvable",
    "node(s) didn't match Pod's required features",
  );
  return {
    name: "NodeDeclaredFeatures",
    preFilter(state, { pod }) {
      const features = neededFeatures(pod);
      if (features.length === 0) return skip;
      state.write(needed, features);
      return undefined;
    },
    filter(state, _, { node }) {
      const declared = node?.status.declaredFeatures ?? [];
      const isMet = (state.read(needed) ?? []).every((feature) => declared.includes(feature));
      return isMet ? undefined : lacking;
    },
    eventsToRegister: () => [
      {
        event: {
          resource: nodeResource,
          action: actions.add | actions.updateNodeDeclaredFeature,
        },
        hint(_, change) {
          const [now, old] = [change.now as Node, change.old as Node | undefined];
          const before = old?.status.declaredFeatures ?? [];
          return old && sameJson(before, now.status.declaredFeatures ?? []) ? "QueueSkip" : "Queue";
        },
      },
      {
        event: { resource: podResource, action: actions.update },
        hint(pod, change) {
          const [now, old] = [change.now as Pod, change.old as Pod];
          const isIt = now.metadata.uid === pod.metadata.uid;
          return isIt && !sameJson(neededFeatures(old), neededFeatures(now))
            ? "Queue"
            : "QueueSkip";
        },
      },
    ],
  };
};

/** The optional features that a pod needs. */
function neededFeatures({ spec }: Pod): readonly string[] {
  const features: string[] = [];
  const { containers, initContainers = [], hostNetwork, hostUsers } = spec;
  const restartsAll = [...containers, ...initContainers].some(({ restartPolicyRules = [] }) =>
    restartPolicyRules.some(({ action }) => action === "RestartAllContainers"),
  );
  if (restartsAll) features.push("RestartAllContainersOnContainerExits");
  if (hostNetwork && hostUsers === false) features.push("UserNamespacesHostNetworkSupport");
  return features;
}
