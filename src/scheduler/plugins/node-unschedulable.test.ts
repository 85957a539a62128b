import { expect, test } from "vitest";
import { actions, nodeResource, podResource } from "../framework/cluster-event.ts";
import {
  aNode,
  aNodeInfo,
  aPod,
  aPodInfo,
  filtered,
  hinted,
  pluginOf,
} from "../framework/framework.test-support.ts";
import { nodeUnschedulable } from "./node-unschedulable.ts";

const tolerating = {
  spec: { tolerations: [{ key: "node.kubernetes.io/unschedulable", operator: "Exists" }] },
};

test("NodeUnschedulable: cordoned nodes fit only pods that tolerate it", () => {
  const plugin = pluginOf(nodeUnschedulable);
  const nodes = [aNodeInfo("a", { spec: { unschedulable: true } }), aNodeInfo("b")];
  expect(filtered(plugin, aPodInfo("p"), nodes)).toEqual(["node(s) were unschedulable", ""]);
  expect(filtered(plugin, aPodInfo("p", tolerating), nodes)).toBe("Skip");
});

test("NodeUnschedulable: uncordoning a node or adding a toleration requeues the pod", () => {
  const plugin = pluginOf(nodeUnschedulable);
  const [cordoned, open] = [aNode("n", { spec: { unschedulable: true } }), aNode("n")];
  const node = { resource: nodeResource, action: actions.updateNodeTaint };
  expect(hinted(plugin, aPod("p"), { ...node, old: cordoned, now: open })).toBe("Queue");
  expect(hinted(plugin, aPod("p"), { ...node, old: open, now: open })).toBe("QueueSkip");
  expect(hinted(plugin, aPod("p"), { ...node, now: cordoned })).toBe("QueueSkip");
  const pod = { resource: podResource, action: actions.updatePodToleration };
  expect(hinted(plugin, aPod("p"), { ...pod, old: aPod("p"), now: aPod("p", tolerating) })).toBe(
    "Queue",
  );
  const other = aPod("p", { spec: { tolerations: [{ key: "x" }] } });
  expect(hinted(plugin, aPod("p"), { ...pod, old: aPod("p"), now: other })).toBe("QueueSkip");
});
