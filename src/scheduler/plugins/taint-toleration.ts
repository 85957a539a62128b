import type { Node } from "../../api/core/v1/node/node.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { isTolerated, untoleratedTaint } from "../../api/core/v1/scheduling/taint-toleration.ts";
import type { Toleration } from "../../api/core/v1/scheduling/toleration.ts";
import { actions, nodeResource, podResource } from "../framework/cluster-event.ts";
import { stateKey } from "../framework/cycle-state.ts";
import type { PluginFactory } from "../framework/plugin.ts";
import { status } from "../framework/status.ts";
import { normalizeScore } from "./normalize-score.ts";

const softTolerations = stateKey<readonly Toleration[]>("PreScoreTaintToleration");

/** Rejects nodes with untolerated taints, and scores by PreferNoSchedule taints. */
export const taintToleration: PluginFactory = () => {
  const tainted = status("UnschedulableAndUnresolvable", "node(s) had untolerated taint(s)");
  return {
    name: "TaintToleration",
    filter(_, { pod }, { node }) {
      const taints = node?.spec.taints;
      if (!taints || taints.length === 0) return undefined;
      return untoleratedTaint(taints, pod.spec.tolerations) ? tainted : undefined;
    },
    preScore(state, { pod }) {
      const { tolerations = [] } = pod.spec;
      state.write(
        softTolerations,
        tolerations.filter(({ effect }) => !effect || effect === "PreferNoSchedule"),
      );
      return undefined;
    },
    /** The number of untolerated PreferNoSchedule taints. */
    score(state, _, { node }) {
      const taints = node?.spec.taints;
      if (!taints || taints.length === 0) return 0;
      const tolerations = state.read(softTolerations);
      let count = 0;
      for (const taint of taints)
        if (taint.effect === "PreferNoSchedule" && !isTolerated(taint, tolerations)) count++;
      return count;
    },
    normalizeScore: (_, _pod, scores) => normalizeScore(scores, true),
    eventsToRegister: () => [
      {
        event: { resource: nodeResource, action: actions.add | actions.updateNodeTaint },
        hint({ spec: { tolerations } }, change) {
          const [now, old] = [change.now as Node, change.old as Node | undefined];
          const wasKeptOff = !old || untoleratedTaint(old.spec.taints, tolerations) !== undefined;
          const isKeptOff = untoleratedTaint(now.spec.taints, tolerations) !== undefined;
          return wasKeptOff && !isKeptOff ? "Queue" : "QueueSkip";
        },
      },
      {
        event: { resource: podResource, action: actions.updatePodToleration },
        hint: (pod, { now }) =>
          (now as Pod).metadata.uid === pod.metadata.uid ? "Queue" : "QueueSkip",
      },
    ],
  };
};
