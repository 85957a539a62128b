import { expect, test } from "vitest";
import { actions, nodeResource, podResource } from "../../framework/cluster-event.ts";
import { CycleState } from "../../framework/cycle-state.ts";
import {
  aNode,
  aNodeInfo,
  aPod,
  aPodInfo,
  filtered,
  hinted,
  type KnownObjects,
  type PodParts,
  pluginOf,
  scored,
} from "../../framework/framework.test-support.ts";
import type { NodeInfo } from "../../framework/node-info.ts";
import { statusMessage } from "../../framework/status.ts";
import { podTopologySpread } from "./pod-topology-spread.ts";

const web = { labels: { app: "web" } };
const uneven = "node(s) didn't match pod topology spread constraints";
const nowhere = `${uneven} (missing required label)`;

const constraint = (more: object = {}) => ({
  maxSkew: 1,
  topologyKey: "zone",
  whenUnsatisfiable: "DoNotSchedule",
  labelSelector: { matchLabels: { app: "web" } },
  ...more,
});
const spreading = (...constraints: object[]): PodParts => ({
  ...web,
  spec: { topologySpreadConstraints: constraints },
});
/** A node in a zone with this many pods. */
const zone = (name: string, value: string | undefined, pods: number, more: object = {}): NodeInfo =>
  aNodeInfo(
    name,
    { labels: value === undefined ? {} : { zone: value }, ...more },
    Array.from({ length: pods }, (_, i) => aPodInfo(`${name}-${i}`, web)),
  );
const filter = (nodes: readonly NodeInfo[], ...constraints: object[]) =>
  filtered(pluginOf(podTopologySpread, nodes), aPodInfo("p", spreading(...constraints)), nodes);

test.each<[string, NodeInfo[], object, string[]]>([
  [
    "places that would have too many more than the one with the fewest are out of question",
    [zone("a1", "a", 2), zone("a2", "a", 0), zone("b", "b", 1)],
    {},
    [uneven, uneven, ""],
  ],
  ["a greater skew allows more", [zone("a", "a", 2), zone("b", "b", 1)], { maxSkew: 2 }, ["", ""]],
  [
    "a node that has no place is out of question",
    [zone("a", "a", 0), zone("x", undefined, 0)],
    {},
    ["", nowhere],
  ],
  [
    "where there are fewer places than there should be, the fewest is none",
    [zone("a", "a", 1), zone("b", "b", 1)],
    { minDomains: 3 },
    [uneven, uneven],
  ],
  [
    "a selector that means another counts others",
    [zone("a", "a", 5), zone("b", "b", 0)],
    { labelSelector: { matchLabels: { app: "db" } } },
    ["", ""],
  ],
  [
    "pods of other namespaces, and those about to go, do not count",
    [
      aNodeInfo("a", { labels: { zone: "a" } }, [
        aPodInfo("x", { ...web, namespace: "other" }),
        aPodInfo("y", { ...web, deletionTimestamp: "2026-01-01T00:00:00Z" }),
      ]),
      zone("b", "b", 0),
    ],
    {},
    ["", ""],
  ],
  [
    "a node with a taint that is not tolerated counts, unless taints are honored",
    [
      zone("a", "a", 1),
      zone("b", "b", 0, { spec: { taints: [{ key: "k", effect: "NoSchedule" }] } }),
    ],
    { nodeTaintsPolicy: "Honor" },
    ["", ""],
  ],
  [
    "and without that it does",
    [
      zone("a", "a", 1),
      zone("b", "b", 0, { spec: { taints: [{ key: "k", effect: "NoSchedule" }] } }),
    ],
    {},
    [uneven, ""],
  ],
])("%s", (_, nodes, more, expected) => {
  expect(filter(nodes, constraint(more))).toEqual(expected);
});

test("nodes that the pod's affinity excludes do not count, unless the constraint ignores it", () => {
  const nodes = [zone("a", "a", 1), zone("b", "b", 0)];
  const check = (policy: object) => {
    const parts = spreading(constraint(policy));
    const pod = aPodInfo("p", { ...parts, spec: { ...parts.spec, nodeSelector: { zone: "a" } } });
    return filtered(pluginOf(podTopologySpread, nodes), pod, nodes);
  };
  expect(check({})).toEqual(["", ""]);
  expect(check({ nodeAffinityPolicy: "Ignore" })).toEqual([uneven, ""]);
});

test("matchLabelKeys narrows the counted pods", () => {
  const nodes = [
    aNodeInfo("a", { labels: { zone: "a" } }, [
      aPodInfo("old", { labels: { app: "web", rev: "1" } }),
    ]),
    zone("b", "b", 0),
  ];
  const pod = (keys: string[]) =>
    aPodInfo("p", {
      labels: { app: "web", rev: "2" },
      spec: { topologySpreadConstraints: [constraint({ matchLabelKeys: keys })] },
    });
  const plugin = pluginOf(podTopologySpread, nodes);
  expect(filtered(plugin, pod([]), nodes)).toEqual([uneven, ""]);
  expect(filtered(plugin, pod(["rev", "absent"]), nodes)).toEqual(["", ""]);
});

test("adding or removing a pod in a simulation changes the result of the filter", () => {
  const nodes = [zone("a", "a", 1), zone("b", "b", 0)];
  const [a] = nodes;
  const plugin = pluginOf(podTopologySpread, nodes);
  const pod = aPodInfo("p", spreading(constraint()));
  const state = new CycleState();
  plugin.preFilter?.(state, pod, nodes);
  const copy = state.clone();
  const other = a?.pods[0];
  if (!a || !other) throw new Error("there is a pod");
  plugin.removePod?.(copy, pod, { other, node: a });
  expect(statusMessage(plugin.filter?.(copy, pod, a))).toBe("");
  expect(statusMessage(plugin.filter?.(state, pod, a))).toBe(uneven);
  plugin.addPod?.(copy, pod, { other, node: a });
  expect(statusMessage(plugin.filter?.(copy, pod, a))).toBe(uneven);
});

test("ScheduleAnyway rejects no node, and prefers the domain with the fewest pods", () => {
  const nodes = [zone("a", "a", 3), zone("b", "b", 1), zone("x", undefined, 0)];
  const plugin = pluginOf(podTopologySpread, nodes);
  const pod = aPodInfo("p", spreading(constraint({ whenUnsatisfiable: "ScheduleAnyway" })));
  expect(filtered(plugin, pod, nodes)).toBe("Skip");
  expect(scored(plugin, pod, nodes)).toEqual([25, 100, 0]);
});

const replicaSet = {
  metadata: { name: "web", namespace: "default" },
  spec: { selector: { matchLabels: { app: "web" } } },
};
const owned = aPodInfo("p", {
  ...web,
  ...({
    ownerReferences: [
      { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "u", controller: true },
    ],
  } as object),
});

test("pods without constraints are spread over nodes and zones with those of their service or controller", () => {
  const full = aNodeInfo("full", {}, [aPodInfo("q", web), aPodInfo("r", web)]);
  const nodes = [full, aNodeInfo("free")];
  const scoreWith = (known: KnownObjects, pod = owned) =>
    scored(pluginOf(podTopologySpread, nodes, { known }), pod, nodes);
  expect(scoreWith({ ReplicaSet: [replicaSet] })).toEqual([40, 100]);
  expect(scoreWith({})).toBe("Skip");
  const service = {
    metadata: { name: "web", namespace: "default" },
    spec: { selector: { app: "web" } },
  };
  expect(scoreWith({ Service: [service] }, aPodInfo("p", web))).toEqual([40, 100]);
});

test("default constraints of the configuration apply to pods without constraints", () => {
  const nodes = [zone("a", "a", 1), zone("b", "b", 0)];
  const { labelSelector: _, ...listed } = constraint();
  const plugin = pluginOf(podTopologySpread, nodes, {
    args: { defaultingType: "List", defaultConstraints: [listed] },
    known: { ReplicaSet: [replicaSet] },
  });
  expect(filtered(plugin, owned, nodes)).toEqual([uneven, ""]);
});

test("counted pods and nodes with the topology label requeue the pod", () => {
  const plugin = pluginOf(podTopologySpread);
  const pod = aPod("p", spreading(constraint()));
  const there = { spec: { nodeName: "n" } };
  const gone = { resource: podResource, action: actions.delete };
  expect(hinted(plugin, pod, { ...gone, old: aPod("q", { ...web, ...there }) })).toBe("Queue");
  expect(hinted(plugin, pod, { ...gone, old: aPod("q", there) })).toBe("QueueSkip");
  expect(
    hinted(plugin, pod, { ...gone, old: aPod("q", { ...web, ...there, namespace: "x" }) }),
  ).toBe("QueueSkip");
  const label = { resource: podResource, action: actions.updatePodLabel };
  const relabelled = { old: aPod("q", there), now: aPod("q", { ...web, ...there }) };
  expect(hinted(plugin, pod, { ...label, ...relabelled })).toBe("Queue");
  const node = { resource: nodeResource, action: actions.add };
  expect(hinted(plugin, pod, { ...node, now: aNode("n", { labels: { zone: "a" } }) })).toBe(
    "Queue",
  );
  expect(hinted(plugin, pod, { ...node, now: aNode("n") })).toBe("QueueSkip");
  const moved = { resource: nodeResource, action: actions.updateNodeLabel };
  const at = (value: string) => aNode("n", { labels: { zone: value } });
  expect(hinted(plugin, pod, { ...moved, old: at("a"), now: at("b") })).toBe("Queue");
  expect(hinted(plugin, pod, { ...moved, old: at("a"), now: at("a") })).toBe("QueueSkip");
});
