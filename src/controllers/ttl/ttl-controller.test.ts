import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { Node } from "../../api/core/v1/node/node.ts";
import { runningCluster } from "../running.test-support.ts";
import { ttlController } from "./ttl-controller.ts";
import { nextStep, secondsAt } from "./ttl-steps.ts";

each<[step: number, nodes: number, seconds: number]>([
  [0, 0, 0],
  [0, 100, 0],
  [0, 101, 15],
  [0, 501, 30],
  [0, 5000, 300],
  [1, 95, 15],
  [1, 89, 0],
  [2, 450, 30],
  [2, 449, 15],
  [4, 1800, 300],
  [4, 1799, 60],
  [4, 10, 0],
])("ttl-steps: from step %i with %i nodes come %i seconds", (step, nodes, seconds) => {
  expect(secondsAt(nextStep(step, nodes))).toBe(seconds);
});

test("nodes are annotated, and a changed annotation is repaired", async () => {
  const cluster = await runningCluster(ttlController());
  const annotationsOfNode = async () =>
    (await cluster.client.get(Node, { name: "n" })).metadata.annotations ?? {};
  await cluster.client.create(Node, { metadata: { name: "n" } });
  await cluster.settled();
  expect(await annotationsOfNode()).toEqual({ "node.alpha.kubernetes.io/ttl": "0" });
  const annotations = { "node.alpha.kubernetes.io/ttl": "7", other: "x" };
  await cluster.client.patch(Node, { name: "n" }, { merge: { metadata: { annotations } } });
  await cluster.settled();
  expect(await annotationsOfNode()).toEqual({ "node.alpha.kubernetes.io/ttl": "0", other: "x" });
  await cluster.end();
});
