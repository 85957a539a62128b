import { afterEach, beforeEach, expect, test } from "vitest";
import { Node } from "../../api/core/v1/node/node.ts";
import { Pod } from "../../api/core/v1/pod/pod.ts";
import type { Taint } from "../../api/core/v1/scheduling/taint.ts";
import type { Toleration } from "../../api/core/v1/scheduling/toleration.ts";
import { addPod, eventsOf } from "../nodes.test-support.ts";
import { type RunningCluster, runningCluster } from "../running.test-support.ts";
import { taintEvictionController } from "./taint-eviction-controller.ts";

let cluster: RunningCluster;
beforeEach(async () => {
  cluster = await runningCluster(taintEvictionController);
  await cluster.client.create(Node, { metadata: { name: "n" } });
});
afterEach(() => cluster.end());

const taint = (key: string, effect: Taint["effect"] = "NoExecute"): Taint => ({ key, effect });
const tolerate = (key: string, tolerationSeconds?: number): Toleration => ({
  key,
  operator: "Exists",
  effect: "NoExecute",
  ...(tolerationSeconds !== undefined && { tolerationSeconds }),
});
const add = (name: string, ...tolerations: Toleration[]) =>
  addPod(cluster.client, name, { node: "n", tolerations });
async function setTaints(...taints: Taint[]): Promise<void> {
  await cluster.client.patch(Node, { name: "n" }, { merge: { spec: { taints } } });
  await cluster.settled();
}
/** Whether a pod was made to go. */
async function isGoing(name: string): Promise<boolean> {
  await cluster.settled();
  const pod = await cluster.client.get(Pod, { name });
  return pod.metadata.deletionTimestamp !== undefined;
}
const events = () => eventsOf(cluster, "taint-eviction-controller");
const marked = (name: string) =>
  `Normal TaintManagerEviction Pod/${name}: Marking for deletion Pod default/${name}`;
const cancelled = (name: string) =>
  `Normal TaintManagerEviction Pod/${name}: Cancelling deletion of Pod default/${name}`;

test("pods that do not tolerate a taint are evicted at once, with a condition", async () => {
  await add("a");
  await add("b", tolerate("gone"));
  await setTaints(taint("gone"));
  expect(await isGoing("a")).toBe(true);
  expect(await isGoing("b")).toBe(false);
  const { status, metadata } = await cluster.client.get(Pod, { name: "a" });
  expect(status.conditions).toContainEqual(
    expect.objectContaining({
      type: "DisruptionTarget",
      status: "True",
      reason: "DeletionByTaintManager",
      message: "Taint manager: deleting due to NoExecute taint",
      observedGeneration: 1,
    }),
  );
  expect(metadata.deletionGracePeriodSeconds).toBe(30);
  expect(await events()).toEqual([marked("a")]);
});

test("taints with other effects evict no pods", async () => {
  await add("a");
  await setTaints(taint("x", "NoSchedule"), taint("y", "PreferNoSchedule"));
  expect(await isGoing("a")).toBe(false);
  await cluster.advance("10m");
  expect(await isGoing("a")).toBe(false);
});

test("a pod is evicted when the first of its needed tolerations expires", async () => {
  await add("a", tolerate("x", 300), tolerate("y", 60), tolerate("z", 5));
  await setTaints(taint("x"), taint("y"));
  await cluster.advance("59s");
  expect(await isGoing("a")).toBe(false);
  await cluster.advance("1s");
  expect(await isGoing("a")).toBe(true);
});

test("a toleration of zero seconds is no toleration", async () => {
  await add("a", tolerate("x", 0));
  await setTaints(taint("x"));
  expect(await isGoing("a")).toBe(true);
});

test("the default tolerations last for five minutes", async () => {
  await add("a");
  await setTaints(taint("node.kubernetes.io/unreachable"));
  await cluster.advance("299s");
  expect(await isGoing("a")).toBe(false);
  await cluster.advance("1s");
  expect(await isGoing("a")).toBe(true);
});

test("changes of taints and tolerations never postpone an eviction", async () => {
  await add("a", tolerate("x", 60), tolerate("y", 60));
  await setTaints(taint("x"));
  await cluster.advance("30s");
  await setTaints(taint("x"), { ...taint("y"), timeAdded: "2026-01-01T00:00:30Z" });
  const { spec } = await cluster.client.get(Pod, { name: "a" });
  const tolerations = [...(spec.tolerations ?? []), tolerate("z", 60)];
  await cluster.client.patch(Pod, { name: "a" }, { merge: { spec: { tolerations } } });
  await cluster.advance("29s");
  expect(await isGoing("a")).toBe(false);
  await cluster.advance("1s");
  expect(await isGoing("a")).toBe(true);
  expect(await events()).toEqual([marked("a")]);
});

test("removing a taint in time cancels the evictions", async () => {
  await add("a", tolerate("x", 60));
  await setTaints(taint("x"));
  await cluster.advance("30s");
  await setTaints();
  await cluster.advance("10m");
  expect(await isGoing("a")).toBe(false);
  expect(await events()).toEqual([cancelled("a")]);
  // The next time begins anew.
  await setTaints(taint("x"));
  await cluster.advance("59s");
  expect(await isGoing("a")).toBe(false);
  await cluster.advance("1s");
  expect(await isGoing("a")).toBe(true);
});

test("a pod that gets a toleration without a limit stays", async () => {
  await add("a", tolerate("x", 60));
  await setTaints(taint("x"));
  await cluster.advance("30s");
  const { spec } = await cluster.client.get(Pod, { name: "a" });
  const tolerations = [tolerate("x"), ...(spec.tolerations ?? []).filter(({ key }) => key !== "x")];
  await cluster.client.patch(Pod, { name: "a" }, { merge: { spec: { tolerations } } });
  await cluster.advance("10m");
  expect(await isGoing("a")).toBe(false);
  expect(await events()).toEqual([cancelled("a")]);
});

test("a taint without a toleration ends the waiting time", async () => {
  await add("a", tolerate("x", 60));
  await setTaints(taint("x"));
  await cluster.advance("10s");
  await setTaints(taint("x"), taint("y"));
  expect(await isGoing("a")).toBe(true);
  expect(await events()).toEqual([cancelled("a"), marked("a")]);
});

test("a pod that is bound to a tainted node is evicted", async () => {
  await setTaints(taint("x"));
  await add("a", tolerate("x", 5));
  await add("b");
  expect(await isGoing("a")).toBe(false);
  expect(await isGoing("b")).toBe(true);
  await cluster.advance("5s");
  expect(await isGoing("a")).toBe(true);
});

test("the timer of a deleted pod does not evict another pod of the same name", async () => {
  await add("a", tolerate("x", 60));
  await setTaints(taint("x"));
  await cluster.advance("30s");
  await cluster.client.delete(Pod, { name: "a" }, { gracePeriodSeconds: 0 });
  await cluster.settled();
  await add("a", tolerate("x", 60));
  await cluster.advance("59s");
  expect(await isGoing("a")).toBe(false);
  await cluster.advance("1s");
  expect(await isGoing("a")).toBe(true);
});
