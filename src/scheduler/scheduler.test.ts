import { afterEach, expect, test } from "vitest";
import { asking, type SchedulingCluster, schedulingCluster } from "./cluster.test-support.ts";

let cluster: SchedulingCluster;
afterEach(() => cluster.end());

test("a pod without a node is bound to one, and people are told", async () => {
  cluster = await schedulingCluster();
  await cluster.node("n1");
  await cluster.pod("web");
  await cluster.settled();
  const web = await cluster.getPod("web");
  expect(web.spec.nodeName).toBe("n1");
  expect(web.status.conditions).toContainEqual(
    expect.objectContaining({ type: "PodScheduled", status: "True" }),
  );
  expect(await cluster.told()).toEqual(["Scheduled web: Successfully assigned default/web to n1"]);
});

test("a pod that fits nowhere is told so, and is bound when a node comes that suits it", async () => {
  cluster = await schedulingCluster();
  await cluster.node("n1", { cpu: "1" });
  await cluster.pod("big", asking({ cpu: "2" }));
  await cluster.settled();
  const big = await cluster.getPod("big");
  expect(big.spec.nodeName).toBeUndefined();
  expect(
    big.status.conditions?.map(({ type, reason, message }) => [type, reason, message]),
  ).toEqual([
    [
      "PodScheduled",
      "Unschedulable",
      expect.stringContaining("0/1 nodes are available: 1 Insufficient cpu."),
    ],
  ]);
  await cluster.node("n2", { cpu: "2" });
  await cluster.advance("2s");
  expect(await cluster.placement()).toEqual({ big: "n2" });
});
