import { expect, test } from "vitest";
import { actions, podResource } from "../framework/cluster-event.ts";
import { aPod, hinted, pluginOf } from "../framework/framework.test-support.ts";
import { gangScheduling } from "./gang-scheduling.ts";

const member = (name: string, podGroupName: string, namespace = "default") =>
  aPod(name, { namespace, spec: { schedulingGroup: { podGroupName } } });
const group = (name: string, schedulingPolicy: object) => ({
  metadata: { name, namespace: "default" },
  spec: { schedulingPolicy },
});

test("GangScheduling: pods of an incomplete gang do not enter the queue", () => {
  const PodGroup = [group("basic", { basic: {} }), group("gang", { gang: { minCount: 2 } })];
  const plugin = pluginOf(gangScheduling, [], { known: { PodGroup } });
  const reasons = [aPod("alone"), member("a", "missing"), member("a", "basic")].map(
    (pod) => plugin.preEnqueue?.(pod)?.reasons[0],
  );
  expect(reasons).toEqual([
    undefined,
    'waiting for pods\'s pod group "missing" to appear in scheduling queue',
    undefined,
  ]);
  expect(plugin.preEnqueue?.(member("a", "gang"))?.reasons).toEqual([
    "pod group state not found for pod group default/gang",
  ]);
});

test("GangScheduling: a pod or the group that was waited for requeues the pods of a group", () => {
  const plugin = pluginOf(gangScheduling);
  const pod = member("a", "g");
  const added = (resource: string, now: object) =>
    hinted(plugin, pod, { resource, action: actions.add, now });
  expect([
    added(podResource, member("b", "g")),
    added(podResource, member("b", "h")),
    added(podResource, member("b", "g", "other")),
    added(podResource, aPod("c")),
    added("scheduling.k8s.io/PodGroup", group("g", {})),
    added("scheduling.k8s.io/PodGroup", group("h", {})),
  ]).toEqual(["Queue", "QueueSkip", "QueueSkip", "QueueSkip", "Queue", "QueueSkip"]);
});
