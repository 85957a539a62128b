import { expect, test } from "vitest";
import { actions, podResource } from "../framework/cluster-event.ts";
import {
  aNodeInfo,
  aPod,
  aPodInfo,
  filtered,
  hinted,
  type PodParts,
  pluginOf,
} from "../framework/framework.test-support.ts";
import { nodePorts } from "./node-ports.ts";

const withPort = (hostPort: number, more: object = {}): PodParts => ({
  spec: {
    containers: [{ name: "c", ports: [{ containerPort: 1, hostPort, ...more }] }],
    nodeName: "n",
  },
});

test.each<[string, PodParts, string | string[]]>([
  [
    "the same port is taken",
    withPort(80),
    ["node(s) didn't have free ports for the requested pod ports"],
  ],
  ["another port is free", withPort(81), [""]],
  ["another protocol is free", withPort(80, { protocol: "UDP" }), [""]],
  ["a pod that wants none does not mind", {}, "Skip"],
])("NodePorts: %s", (_, parts, expected) => {
  const node = aNodeInfo("n", {}, [aPodInfo("other", withPort(80))]);
  expect(filtered(pluginOf(nodePorts), aPodInfo("p", parts), [node])).toEqual(expected);
});

test("NodePorts: only the deletion of a pod with the same port requeues the pod", () => {
  const plugin = pluginOf(nodePorts);
  const gone = (old: object) => ({ resource: podResource, action: actions.delete, old });
  const waiting = aPod("p", withPort(80));
  expect(hinted(plugin, waiting, gone(aPod("q", withPort(80))))).toBe("Queue");
  expect(hinted(plugin, waiting, gone(aPod("q", withPort(81))))).toBe("QueueSkip");
  const nowhere = aPod("q", { spec: { ...withPort(80).spec, nodeName: undefined } });
  expect(hinted(plugin, waiting, gone(nowhere))).toBe("QueueSkip");
});
