import { expect, test } from "vitest";
import { daemonSetPlacement } from "./daemon-set-placement.ts";
import { daemonSetWith, nodeWith } from "./daemon-sets.test-support.ts";

const taint = (effect: string, key = "own"): object => ({ key, effect });
const condition = (name: string, effect: string) => taint(effect, `node.kubernetes.io/${name}`);
const runs = { shouldRun: true, mayStay: true };
const stays = { shouldRun: false, mayStay: true };
const goes = { shouldRun: false, mayStay: false };
const required = (terms: readonly object[]): object => ({
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
  },
});

test.each<[string, object, object, object[], object]>([
  ["any node", {}, {}, [], runs],
  ["a node that is selected", { nodeSelector: { disk: "fast" } }, { disk: "fast" }, [], runs],
  ["a node that is not selected", { nodeSelector: { disk: "fast" } }, {}, [], goes],
  ["the node of the template", { nodeName: "n1" }, {}, [], runs],
  ["another than the node of the template", { nodeName: "n2" }, {}, [], goes],
  [
    "a node that the affinity requires",
    required([{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n1"] }] }]),
    {},
    [],
    runs,
  ],
  [
    "a node that the affinity excludes",
    required([{ matchExpressions: [{ key: "disk", operator: "Exists" }] }]),
    {},
    [],
    goes,
  ],
  ["an affinity without terms", required([]), {}, [], goes],
  ["a taint against scheduling", {}, {}, [taint("NoSchedule")], stays],
  ["a taint against execution", {}, {}, [taint("NoExecute")], goes],
  ["a taint that is a preference", {}, {}, [taint("PreferNoSchedule")], runs],
  ["a tolerated taint", { tolerations: [{ operator: "Exists" }] }, {}, [taint("NoExecute")], runs],
  ["an unschedulable node", {}, {}, [condition("unschedulable", "NoSchedule")], runs],
  ["a node that is not ready", {}, {}, [condition("not-ready", "NoExecute")], runs],
  ["an unreachable node", {}, {}, [condition("unreachable", "NoExecute")], runs],
  ["pressure of memory", {}, {}, [condition("memory-pressure", "NoSchedule")], runs],
  ["a missing network", {}, {}, [condition("network-unavailable", "NoSchedule")], stays],
  [
    "a missing network, for the host's network",
    { hostNetwork: true },
    {},
    [condition("network-unavailable", "NoSchedule")],
    runs,
  ],
])("daemonSetPlacement: %s", (_, podSpec, labels, taints, placement) => {
  const placementOn = daemonSetPlacement(daemonSetWith({}, podSpec));
  expect(placementOn(nodeWith(labels, taints))).toEqual(placement);
});
