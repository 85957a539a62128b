import { expect, test } from "vitest";
import { actions, nodeResource } from "../framework/cluster-event.ts";
import {
  aNode,
  aNodeInfo,
  aPod,
  aPodInfo,
  filtered,
  hinted,
  type PodParts,
  pluginOf,
  scored,
} from "../framework/framework.test-support.ts";
import { nodeAffinity } from "./node-affinity.ts";

const plugin = pluginOf(nodeAffinity);
const zone = (name: string, value: string) => aNodeInfo(name, { labels: { zone: value } });
const nodes = [zone("a", "1"), zone("b", "2")];
const inZone = (...values: string[]) => ({
  matchExpressions: [{ key: "zone", operator: "In", values }],
});
const named = (...values: string[]) => ({
  matchFields: [{ key: "metadata.name", operator: "In", values }],
});
const requiring = (...nodeSelectorTerms: object[]): PodParts => ({
  spec: {
    affinity: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
    },
  },
});
const preferring = (...terms: [number, object][]): PodParts => ({
  spec: {
    affinity: {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: terms.map(([weight, preference]) => ({
          weight,
          preference,
        })),
      },
    },
  },
});
const no = "node(s) didn't match Pod's node affinity/selector";

test.each<[string, PodParts, string | string[]]>([
  ["a pod that says nothing may go anywhere", {}, "Skip"],
  ["a node selector must be met", { spec: { nodeSelector: { zone: "2" } } }, [no, ""]],
  ["one of the terms must be met", requiring(inZone("3"), inZone("1")), ["", no]],
  ["no term means no node", requiring(), [no, no]],
  ["terms that name nodes that are not there", requiring(named("c")), [no, no]],
  [
    "terms that name no node in common",
    requiring({ matchFields: [...named("a").matchFields, ...named("b").matchFields] }),
    "pod affinity terms conflict",
  ],
])("%s", (_, parts, expected) => {
  expect(filtered(plugin, aPodInfo("p", parts), nodes)).toEqual(expected);
});

test("if all terms select by node name, only those nodes are considered", () => {
  const state = { write: () => undefined } as never;
  const result = (...terms: object[]) =>
    plugin.preFilter?.(state, aPodInfo("p", requiring(...terms)), nodes);
  expect(result(named("a"), named("b", "c"))).toEqual({ nodeNames: new Set(["a", "b", "c"]) });
  expect(result(named("a"), inZone("1"))).toBeUndefined();
});

test("nodes score by the weights of the terms that they match", () => {
  expect(scored(plugin, aPodInfo("p"), nodes)).toBe("Skip");
  const pod = aPodInfo("p", preferring([2, inZone("1")], [8, inZone("2")]));
  expect(scored(plugin, pod, nodes)).toEqual([25, 100]);
});

test("affinity in the configuration applies to all pods", () => {
  const addedAffinity = {
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [inZone("1")] },
    preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: inZone("2") }],
  };
  const added = pluginOf(nodeAffinity, [], { args: { addedAffinity } });
  expect(filtered(added, aPodInfo("p"), nodes)).toEqual([
    "",
    "node(s) didn't match scheduler-enforced node affinity",
  ]);
  expect(scored(added, aPodInfo("p"), nodes)).toEqual([0, 100]);
  const event = { resource: nodeResource, action: actions.add };
  const wanting = aPod("p", requiring(inZone("1", "2")));
  expect(hinted(added, wanting, { ...event, now: aNode("n", { labels: { zone: "2" } }) })).toBe(
    "QueueSkip",
  );
});

test("a node update that makes the affinity match requeues the pod", () => {
  const pod = aPod("p", requiring(inZone("1")));
  const at = (value: string) => aNode("n", { labels: { zone: value } });
  const label = { resource: nodeResource, action: actions.updateNodeLabel };
  expect(hinted(plugin, pod, { ...label, old: at("2"), now: at("1") })).toBe("Queue");
  expect(hinted(plugin, pod, { ...label, old: at("1"), now: at("1") })).toBe("QueueSkip");
  expect(hinted(plugin, pod, { ...label, now: at("1") })).toBe("Queue");
  expect(hinted(plugin, pod, { ...label, now: at("2") })).toBe("QueueSkip");
});
