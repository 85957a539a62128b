import { expect, test } from "vitest";
import { actions, podResource } from "../framework/cluster-event.ts";
import { aPod, hinted, pluginOf } from "../framework/framework.test-support.ts";
import { schedulingGates } from "./scheduling-gates.ts";

test("SchedulingGates: a pod with a gate does not enter the queue", () => {
  const plugin = pluginOf(schedulingGates);
  const gated = aPod("p", { spec: { schedulingGates: [{ name: "a" }, { name: "b" }] } });
  expect(plugin.preEnqueue?.(gated)).toEqual({
    code: "UnschedulableAndUnresolvable",
    reasons: ["waiting for scheduling gates: [a b]"],
  });
  expect(plugin.preEnqueue?.(aPod("p"))).toBeUndefined();
  const removed = { resource: podResource, action: actions.updatePodSchedulingGatesEliminated };
  expect(hinted(plugin, gated, { ...removed, now: aPod("p") })).toBe("Queue");
  expect(hinted(plugin, gated, { ...removed, now: aPod("q") })).toBe("QueueSkip");
});
