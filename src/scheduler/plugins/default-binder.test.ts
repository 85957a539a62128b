import { afterEach, expect, test } from "vitest";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { createManager } from "../../controller-runtime/manager/manager.ts";
import type { Cluster } from "../../testing/cluster.ts";
import type { Fault } from "../../testing/faults/fault.ts";
import { startCluster } from "../../testing/start-cluster.ts";
import { addNode, podOf } from "../cluster.test-support.ts";
import { createScheduler } from "../scheduler.ts";

let cluster: Cluster;
let running: Promise<void>;
const stop = { now: () => {} };
afterEach(async () => {
  stop.now();
  await cluster.advance("1m");
  await running;
  await cluster.close();
});

/** A scheduler with delayed watches of pods and a fault in one of its binding requests. */
async function withFault(fault: Fault): Promise<void> {
  cluster = await startCluster({ clock: "virtual", namespace: "default" });
  const controller = new AbortController();
  stop.now = () => controller.abort();
  cluster.faults.add({
    calls: { verb: "watch", resource: "pods" },
    fault: { type: "delay", ms: 20_000 },
  });
  cluster.faults.add({ calls: { verb: "create", resource: "pods/binding" }, times: 1, fault });
  await addNode(cluster.client, "n1", { pods: "1" });
  for (const name of ["a", "b"]) await cluster.client.create(Pod, podOf(name));
  const transport = cluster.faults.transport("the scheduler");
  const manager = createManager({ ...cluster, transport, runnables: [createScheduler()] });
  running = manager.run({ signal: controller.signal });
  for (let seconds = 0; seconds < 120 && (await bound()) === 0; seconds++)
    await cluster.advance("1s");
  // Long enough for the delayed events to arrive.
  await cluster.advance("15s");
}

const bound = async () =>
  (await cluster.client.list(Pod, {})).items.filter(({ spec }) => spec.nodeName).length;

test("a pod whose binding succeeded although the response was lost keeps its node", async () => {
  await withFault({ type: "lose-response" });
  expect(await bound()).toBe(1);
});

test("a pod whose binding failed is tried again", async () => {
  await withFault({ type: "fail", error: new StatusError("InternalError", "broken") });
  await cluster.advance("1m");
  expect(await bound()).toBe(1);
});
