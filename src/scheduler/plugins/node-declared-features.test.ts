import { expect, test } from "vitest";
import { actions, nodeResource, podResource } from "../framework/cluster-event.ts";
import {
  aNode,
  aNodeInfo,
  aPod,
  aPodInfo,
  filtered,
  hinted,
  type PodParts,
  pluginOf,
} from "../framework/framework.test-support.ts";
import { nodeDeclaredFeatures } from "./node-declared-features.ts";

const restart = "RestartAllContainersOnContainerExits";
const rules = [{ action: "RestartAllContainers", exitCodes: { operator: "In", values: [1] } }];
const restarting = { name: "c", restartPolicy: "Never", restartPolicyRules: rules };
const plain = { name: "c" };
const lacking = "node(s) didn't match Pod's required features";
const nodes = [
  aNodeInfo("none"),
  aNodeInfo("restart", { status: { declaredFeatures: [restart] } }),
  aNodeInfo("users", { status: { declaredFeatures: ["UserNamespacesHostNetworkSupport"] } }),
];

test.each<[string, PodParts, string | readonly string[]]>([
  ["a pod that needs nothing goes anywhere", {}, "Skip"],
  [
    "a container that has all restart",
    { spec: { containers: [restarting] } },
    [lacking, "", lacking],
  ],
  [
    "an init container that has all restart",
    { spec: { containers: [plain], initContainers: [restarting] } },
    [lacking, "", lacking],
  ],
  [
    "users of its own on the network of the node",
    { spec: { containers: [plain], hostNetwork: true, hostUsers: false } },
    [lacking, lacking, ""],
  ],
  ["the network of the node alone", { spec: { containers: [plain], hostNetwork: true } }, "Skip"],
])("NodeDeclaredFeatures: %s", (_, parts, expected) => {
  const plugin = pluginOf(nodeDeclaredFeatures, nodes);
  expect(filtered(plugin, aPodInfo("p", parts), nodes)).toEqual(expected);
});

test("NodeDeclaredFeatures: a node that declares other features requeues the pod", () => {
  const plugin = pluginOf(nodeDeclaredFeatures);
  const pod = aPod("p", { spec: { containers: [restarting] } });
  const [old, now] = [aNode("n"), aNode("n", { status: { declaredFeatures: [restart] } })];
  const happened = { resource: nodeResource, action: actions.updateNodeDeclaredFeature };
  expect(hinted(plugin, pod, { ...happened, old, now })).toBe("Queue");
  expect(hinted(plugin, pod, { ...happened, old: now, now })).toBe("QueueSkip");
  expect(hinted(plugin, pod, { resource: nodeResource, action: actions.add, now })).toBe("Queue");
  const labelled = aPod("p", { labels: { a: "b" }, spec: { containers: [restarting] } });
  const update = { resource: podResource, action: actions.updatePodLabel };
  expect(hinted(plugin, pod, { ...update, old: pod, now: labelled })).toBe("QueueSkip");
});
