import { afterEach, beforeEach, expect, test } from "vitest";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import { podCondition } from "../../api/core/v1/pod/pod-status.ts";
import { addPod, setStatus } from "../endpoints/web.test-support.ts";
import { type RunningCluster, runningCluster } from "../running.test-support.ts";
import { staleDisruptionController } from "./stale-disruption-controller.ts";

let cluster: RunningCluster;
beforeEach(async () => {
  cluster = await runningCluster(staleDisruptionController);
  await addPod(cluster, { name: "a" });
});
afterEach(() => cluster.end());

const disrupt = (reason: string, rest: object = {}) =>
  setStatus(cluster, "a", {
    conditions: [
      {
        type: "DisruptionTarget",
        status: "True",
        reason,
        message: "why",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      },
    ],
    ...rest,
  });

async function disruption() {
  await cluster.settled();
  return podCondition((await cluster.client.get(Pod, { name: "a" })).status, "DisruptionTarget");
}

test("a stale DisruptionTarget condition is reset after two minutes", async () => {
  await disrupt("EvictionByEvictionAPI");
  await cluster.advance("119s");
  expect(await disruption()).toMatchObject({ status: "True" });
  await cluster.advance("1s");
  const taken = await disruption();
  expect(taken).toMatchObject({
    status: "False",
    observedGeneration: 1,
    lastTransitionTime: "2026-01-01T00:02:00Z",
  });
  expect(taken).not.toHaveProperty("reason");
  expect(taken).not.toHaveProperty("message");
});

test.each([
  ["its kubelet ends it", () => disrupt("TerminationByKubelet")],
  ["it has ended", () => disrupt("EvictionByEvictionAPI", { phase: "Failed" })],
  [
    "it is being deleted",
    async () => {
      await cluster.client.delete(Pod, { name: "a" }, { gracePeriodSeconds: 600 });
      await disrupt("EvictionByEvictionAPI");
    },
  ],
])("it stays while %s", async (_name, happen) => {
  await happen();
  await cluster.advance("5m");
  expect(await disruption()).toMatchObject({ status: "True" });
});
