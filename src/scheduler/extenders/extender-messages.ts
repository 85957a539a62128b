import { isMap } from "../../schema/json/json-value.ts";
import type { NodeInfo } from "../framework/node-info.ts";
import type { PodInfo } from "../framework/pod-info.ts";
import type { Snapshot } from "../framework/snapshot.ts";
import type { Candidate } from "../plugins/default-preemption/candidate.ts";

/** The nodes of a request, and whether only their names are sent. */
export interface ExtenderNodes {
  readonly nodes: readonly NodeInfo[];
  readonly byName: boolean;
}

/** The score of a node, from 0 to 10 before it is weighted. */
export interface ExtenderScore {
  readonly node: string;
  readonly score: number;
}

/** The nodes on which pods may be evicted, and whether only the uids of the pods are sent. */
export interface ExtenderCandidates {
  readonly candidates: readonly Candidate[];
  readonly byUid: boolean;
}

/** The request of `filter` and `prioritize`. */
export const nodesMessage = ({ pod }: PodInfo, { nodes, byName }: ExtenderNodes): object => ({
  Pod: pod,
  Nodes: byName ? null : { metadata: {}, items: nodes.map(({ node }) => node) },
  NodeNames: byName ? nodes.map(({ name }) => name) : null,
});

/** The request of `preempt`. */
export function candidatesMessage(
  { pod }: PodInfo,
  { candidates, byUid }: ExtenderCandidates,
): object {
  const byNode = Object.fromEntries(
    candidates.map(({ node, victims, violations }) => [
      node,
      {
        Pods: victims.map((victim) => (byUid ? { UID: victim.uid } : victim.pod)),
        NumPDBViolations: violations,
      },
    ]),
  );
  return {
    Pod: pod,
    NodeNameToVictims: byUid ? null : byNode,
    NodeNameToMetaVictims: byUid ? byNode : null,
  };
}

/** Reads a member of a response; as in Go, upper and lower case of its name are the same. */
export function memberOf(value: unknown, name: string): unknown {
  if (!isMap(value)) return undefined;
  if (Object.hasOwn(value, name)) return value[name] ?? undefined;
  const wanted = name.toLowerCase();
  const found = Object.keys(value).find((key) => key.toLowerCase() === wanted);
  return found === undefined ? undefined : (value[found] ?? undefined);
}

/** The names of the nodes in a response of `filter`; none if it has no list of them. */
export function remainingNames(response: unknown, byName: boolean): readonly unknown[] {
  const names = byName ? memberOf(response, "NodeNames") : undefined;
  if (names !== undefined) return listOf(names);
  return listOf(memberOf(memberOf(response, "Nodes"), "items")).map((node) =>
    memberOf(memberOf(node, "metadata"), "name"),
  );
}

/** The reasons by node in a response of `filter`. */
export const reasonsIn = (map: unknown): ReadonlyMap<string, string> =>
  new Map(isMap(map) ? Object.entries(map).map(([node, reason]) => [node, String(reason)]) : []);

/** The scores in a response of `prioritize`. */
export const scoresIn = (response: unknown): readonly ExtenderScore[] =>
  listOf(response).map((one) => ({
    node: String(memberOf(one, "Host") ?? ""),
    score: Number(memberOf(one, "Score") ?? 0),
  }));

/** The candidates in a response of `preempt`; throws if a node or a pod on it is not known. */
export function candidatesIn(
  response: unknown,
  snapshot: Snapshot,
  extender: string,
): readonly Candidate[] {
  const byNode = memberOf(response, "NodeNameToMetaVictims");
  if (!isMap(byNode)) return [];
  return Object.entries(byNode).map(([name, victims]) => {
    const node = snapshot.get(name);
    if (!node) throw new Error(`nodeinfo not found for node name "${name}"`);
    const pods = listOf(memberOf(victims, "Pods")).map((one) => {
      const uid = memberOf(one, "UID");
      const pod = node.pods.find((other) => other.uid === uid);
      if (pod) return pod;
      throw new Error(
        `extender: ${extender} claims to preempt pod (UID: &{${uid}}) on node: ${name}, but the pod is not found on that node`,
      );
    });
    const violations = Number(memberOf(victims, "NumPDBViolations") ?? 0);
    return { node: name, victims: pods, violations };
  });
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
