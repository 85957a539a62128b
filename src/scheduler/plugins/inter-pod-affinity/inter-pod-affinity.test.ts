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
import type { PodInfo } from "../../framework/pod-info.ts";
import { statusMessage } from "../../framework/status.ts";
import { interPodAffinity } from "./inter-pod-affinity.ts";

const term = (app: string, more: object = {}) => ({
  topologyKey: "zone",
  labelSelector: { matchLabels: { app } },
  ...more,
});
const required = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
const labels = (app: string) => ({ labels: { app } });
const near = (...terms: object[]) => ({
  spec: { affinity: { podAffinity: { [required]: terms } } },
});
const apart = (...terms: object[]) => ({
  spec: { affinity: { podAntiAffinity: { [required]: terms } } },
});
const zone = (name: string, value: string, ...pods: PodInfo[]): NodeInfo =>
  aNodeInfo(name, { labels: { zone: value } }, pods);

const notNear = "node(s) didn't match pod affinity rules";
const tooNear = "node(s) didn't match pod anti-affinity rules";
const unwanted = "node(s) didn't satisfy existing pods anti-affinity rules";

const check = (nodes: NodeInfo[], parts: PodParts, known: KnownObjects = {}) =>
  filtered(pluginOf(interPodAffinity, nodes, { known }), aPodInfo("p", parts), nodes);

test.each<[string, NodeInfo[], PodParts, string | string[]]>([
  ["a pod that nobody has to do with may go anywhere", [zone("a", "1")], labels("web"), "Skip"],
  [
    "a pod goes where those are that it must be near to",
    [zone("a1", "1", aPodInfo("db", labels("db"))), zone("a2", "1"), zone("b", "2")],
    near(term("db")),
    ["", "", notNear],
  ],
  [
    "all terms must mean the same pod",
    [zone("a", "1", aPodInfo("x", labels("db")), aPodInfo("y", labels("web")))],
    near(term("db"), term("web")),
    [notNear],
  ],
  [
    "the first of pods that want to be near to each other has nobody to be near to",
    [zone("a", "1"), aNodeInfo("x")],
    { ...labels("db"), ...near(term("db")) },
    ["", notNear],
  ],
  [
    "a pod stays away from where those are that it must be away from",
    [zone("a", "1", aPodInfo("db", labels("db"))), zone("b", "2")],
    apart(term("db")),
    [tooNear, ""],
  ],
  [
    "a pod stays away from those that want it away",
    [zone("a", "1", aPodInfo("db", apart(term("web")))), zone("b", "2")],
    labels("web"),
    [unwanted, ""],
  ],
  [
    "pods of other namespaces are not meant unless they are named",
    [zone("a", "1", aPodInfo("db", { ...labels("db"), namespace: "other" })), zone("b", "2")],
    apart(term("db")),
    ["", ""],
  ],
  [
    "and are where they are",
    [zone("a", "1", aPodInfo("db", { ...labels("db"), namespace: "other" })), zone("b", "2")],
    apart(term("db", { namespaces: ["other"] })),
    [tooNear, ""],
  ],
])("%s", (_, nodes, parts, expected) => {
  expect(check(nodes, parts)).toEqual(expected);
});

test("terms can select namespaces by labels", () => {
  const nodes = [zone("a", "1", aPodInfo("db", { ...labels("db"), namespace: "prod" }))];
  const team = { namespaceSelector: { matchLabels: { team: "x" } } };
  const known = { Namespace: [{ metadata: { name: "prod", labels: { team: "x" } } }] };
  expect(check(nodes, apart(term("db", team)), known)).toEqual([tooNear]);
  expect(check(nodes, apart(term("db", team)))).toEqual([""]);
  const all = { namespaceSelector: {} };
  expect(check(nodes, apart(term("db", all)))).toEqual([tooNear]);
});

test("removing a pod in a simulation changes the result of the filter", () => {
  const other = aPodInfo("db", labels("db"));
  const nodes = [zone("a", "1", other)];
  const [node] = nodes;
  if (!node) throw new Error("there is a node");
  const plugin = pluginOf(interPodAffinity, nodes);
  const pod = aPodInfo("p", apart(term("db")));
  const state = new CycleState();
  plugin.preFilter?.(state, pod, nodes);
  const copy = state.clone();
  plugin.removePod?.(copy, pod, { other, node });
  expect(statusMessage(plugin.filter?.(copy, pod, node))).toBe("");
  plugin.addPod?.(copy, pod, { other, node });
  expect(statusMessage(plugin.filter?.(copy, pod, node))).toBe(tooNear);
  expect(statusMessage(plugin.filter?.(state, pod, node))).toBe(tooNear);
});

const weighted = (weight: number, app: string) => ({ weight, podAffinityTerm: term(app) });

test("nodes score by the pod's preferred terms and by those of others", () => {
  const prefers = (kind: string, ...terms: object[]) => ({
    spec: { affinity: { [kind]: { [preferred]: terms } } },
  });
  const nodes = [
    zone("a", "1", aPodInfo("db", labels("db"))),
    zone("b", "2", aPodInfo("web", labels("web"))),
    zone("c", "3"),
  ];
  const score = (parts: PodParts, on = nodes, args = {}) =>
    scored(pluginOf(interPodAffinity, on, { args }), aPodInfo("p", parts), on);
  expect(score({})).toBe("Skip");
  expect(score(prefers("podAffinity", weighted(10, "db"), weighted(5, "web")))).toEqual([
    100, 50, 0,
  ]);
  expect(score(prefers("podAntiAffinity", weighted(10, "db")))).toEqual([0, 100, 100]);
  const wanted = [
    zone("a", "1", aPodInfo("x", prefers("podAffinity", weighted(10, "web")))),
    zone("b", "2", aPodInfo("y", near(term("web")))),
    zone("c", "3", aPodInfo("z", prefers("podAntiAffinity", weighted(10, "web")))),
  ];
  expect(score(labels("web"), wanted)).toEqual([100, 55, 0]);
  expect(score(labels("web"), wanted, { hardPodAffinityWeight: 10 })).toEqual([100, 100, 0]);
  expect(score(labels("web"), wanted, { ignorePreferredTermsOfExistingPods: true })).toBe("Skip");
});

test("added, deleted and updated pods may make a pod schedulable, and so may new topology labels", () => {
  const plugin = pluginOf(interPodAffinity);
  const there = (app: string) => aPod("q", { ...labels(app), spec: { nodeName: "n" } });
  const wantsDb = aPod("p", near(term("db")));
  const added = { resource: podResource, action: actions.add };
  expect(hinted(plugin, wantsDb, { ...added, now: there("db") })).toBe("Queue");
  expect(hinted(plugin, wantsDb, { ...added, now: there("web") })).toBe("QueueSkip");
  expect(hinted(plugin, wantsDb, { ...added, now: aPod("q", labels("db")) })).toBe("QueueSkip");
  const avoidsDb = aPod("p", { ...labels("web"), ...apart(term("db")) });
  const gone = { resource: podResource, action: actions.delete };
  expect(hinted(plugin, avoidsDb, { ...gone, old: there("db") })).toBe("Queue");
  expect(hinted(plugin, avoidsDb, { ...gone, old: there("web") })).toBe("QueueSkip");
  const avoidsWeb = aPod("q", { spec: { ...apart(term("web")).spec, nodeName: "n" } });
  expect(hinted(plugin, avoidsDb, { ...gone, old: avoidsWeb })).toBe("Queue");
  const label = { resource: podResource, action: actions.updatePodLabel };
  expect(hinted(plugin, wantsDb, { ...label, old: there("web"), now: there("db") })).toBe("Queue");
  expect(hinted(plugin, avoidsDb, { ...label, old: there("db"), now: there("web") })).toBe("Queue");
  const node = { resource: nodeResource, action: actions.updateNodeLabel };
  const at = (value: string) => aNode("n", { labels: { zone: value } });
  expect(hinted(plugin, wantsDb, { ...node, old: at("1"), now: at("2") })).toBe("Queue");
  expect(hinted(plugin, wantsDb, { ...node, old: at("1"), now: at("1") })).toBe("QueueSkip");
  expect(hinted(plugin, avoidsDb, { ...node, now: aNode("n") })).toBe("Queue");
});
