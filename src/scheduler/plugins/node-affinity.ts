import type { Node } from "../../api/core/v1/node/node.ts";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import {
  type NodeMatch,
  nodeSelectorMatch,
  preferredNodeWeight,
  requiredNodeMatch,
} from "../../api/core/v1/scheduling/node-affinity-match.ts";
import type { NodeSelectorTerm } from "../../api/core/v1/scheduling/node-selector.ts";
import type { NodeAffinityArgs } from "../configuration/plugin-args.ts";
import { actions, nodeResource } from "../framework/cluster-event.ts";
import { stateKey } from "../framework/cycle-state.ts";
import type { PluginFactory } from "../framework/plugin.ts";
import { skip, status } from "../framework/status.ts";
import { normalizeScore } from "./normalize-score.ts";

const required = stateKey<NodeMatch>("PreFilterNodeAffinity");
const preferred = stateKey<(node: Pick<Node, "metadata">) => number>("PreScoreNodeAffinity");

/** Filters by required node affinity, and scores by preferred node affinity. */
export const nodeAffinity: PluginFactory = (args) => {
  const { addedAffinity } = (args ?? {}) as NodeAffinityArgs;
  const addedTerms = addedAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const enforced = addedTerms && nodeSelectorMatch(addedTerms);
  const addedPreferences = addedAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const added = addedPreferences.length > 0 ? preferredNodeWeight(addedPreferences) : undefined;

  const code = "UnschedulableAndUnresolvable";
  const mismatch = status(code, "node(s) didn't match Pod's node affinity/selector");
  const notEnforced = status(code, "node(s) didn't match scheduler-enforced node affinity");
  const conflict = status(code, "pod affinity terms conflict");
  return {
    name: "NodeAffinity",
    preFilter(state, { pod: { spec } }) {
      const terms = requiredTerms(spec);
      if (!terms && !enforced && !spec.nodeSelector) return skip;
      state.write(required, requiredNodeMatch(spec));
      const nodeNames = terms && namedNodes(terms);
      if (!nodeNames) return undefined;
      return nodeNames.size === 0 ? conflict : { nodeNames };
    },
    filter(state, _, { node }) {
      if (!node) return mismatch;
      if (enforced && !enforced(node)) return notEnforced;
      return state.read(required)?.(node) === false ? mismatch : undefined;
    },
    preScore(state, { pod: { spec } }) {
      const terms = spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution;
      if (!terms && !added) return skip;
      state.write(preferred, preferredNodeWeight(terms ?? []));
      return undefined;
    },
    score(state, _, { node }) {
      if (!node) return 0;
      return (added?.(node) ?? 0) + (state.read(preferred)?.(node) ?? 0);
    },
    normalizeScore: (_, _pod, scores) => normalizeScore(scores),
    eventsToRegister: () => [
      {
        event: { resource: nodeResource, action: actions.add | actions.updateNodeLabel },
        hint({ spec }, change) {
          const [now, old] = [change.now as Node, change.old as Node | undefined];
          if (enforced && !enforced(now)) return "QueueSkip";
          const meets = requiredNodeMatch(spec);
          return meets(now) && !(old && meets(old)) ? "Queue" : "QueueSkip";
        },
      },
    ],
  };
};

const requiredTerms = ({ affinity }: Pod["spec"]): readonly NodeSelectorTerm[] | undefined =>
  affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;

/** The only nodes to consider, if every term has node names; otherwise undefined. */
function namedNodes(terms: readonly NodeSelectorTerm[]): ReadonlySet<string> | undefined {
  if (terms.length === 0) return undefined;
  const all = new Set<string>();
  for (const { matchFields = [] } of terms) {
    const lists = matchFields
      .filter(({ key, operator }) => key === "metadata.name" && operator === "In")
      .map(({ values = [] }) => values);
    const [first, ...others] = lists;
    if (!first) return undefined;
    for (const name of first) if (others.every((list) => list.includes(name))) all.add(name);
  }
  return all;
}
