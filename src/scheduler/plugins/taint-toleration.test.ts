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
  scored,
} from "../framework/framework.test-support.ts";
import { taintToleration } from "./taint-toleration.ts";

const plugin = pluginOf(taintToleration);
const taint = (key: string, effect: string) => ({ key, effect });
const tainted = (name: string, ...taints: object[]) => aNodeInfo(name, { spec: { taints } });
const tolerating = (...keys: string[]) => ({
  spec: { tolerations: keys.map((key) => ({ key, operator: "Exists" })) },
});

test("nodes with untolerated taints do not fit", () => {
  const nodes = [
    tainted("none"),
    tainted("a", taint("a", "NoSchedule")),
    tainted("ab", taint("a", "NoSchedule"), taint("b", "NoExecute")),
    tainted("soft", taint("a", "PreferNoSchedule")),
  ];
  const no = "node(s) had untolerated taint(s)";
  expect(filtered(plugin, aPodInfo("p"), nodes)).toEqual(["", no, no, ""]);
  expect(filtered(plugin, aPodInfo("p", tolerating("a")), nodes)).toEqual(["", "", no, ""]);
});

test("nodes with fewer untolerated PreferNoSchedule taints score higher", () => {
  const nodes = [
    tainted("none"),
    tainted("one", taint("a", "PreferNoSchedule")),
    tainted("two", taint("a", "PreferNoSchedule"), taint("b", "PreferNoSchedule")),
  ];
  expect(scored(plugin, aPodInfo("p"), nodes)).toEqual([100, 50, 0]);
  expect(scored(plugin, aPodInfo("p", tolerating("a")), nodes)).toEqual([100, 100, 0]);
});

test("removing a taint or adding a toleration requeues the pod", () => {
  const bad = aNode("n", { spec: { taints: [taint("a", "NoSchedule")] } });
  const node = { resource: nodeResource, action: actions.updateNodeTaint };
  expect(hinted(plugin, aPod("p"), { ...node, old: bad, now: aNode("n") })).toBe("Queue");
  expect(hinted(plugin, aPod("p"), { ...node, old: aNode("n"), now: aNode("n") })).toBe(
    "QueueSkip",
  );
  expect(hinted(plugin, aPod("p"), { ...node, now: bad })).toBe("QueueSkip");
  expect(hinted(plugin, aPod("p", tolerating("a")), { ...node, now: bad })).toBe("Queue");
  const pod = { resource: podResource, action: actions.updatePodToleration };
  expect(hinted(plugin, aPod("p"), { ...pod, now: aPod("p") })).toBe("Queue");
  expect(hinted(plugin, aPod("p"), { ...pod, now: aPod("q") })).toBe("QueueSkip");
});
