import { expect, test } from "vitest";
import { VirtualClock } from "../../base/virtual-clock.ts";
import { aPodInfo } from "./framework.test-support.ts";
import { PodsInPreBind, WaitingPods } from "./waiting-pods.ts";

const pod = aPodInfo("p");

test("WaitingPods: a pod waits until all plugins allow it", async () => {
  const waiting = new WaitingPods(new VirtualClock());
  waiting.add(
    pod,
    new Map([
      ["A", 1000],
      ["B", 1000],
    ]),
  );
  const decision = waiting.decision("p");
  waiting.get("p")?.allow("A");
  expect(waiting.get("p")?.pendingPlugins()).toEqual(["B"]);
  waiting.get("p")?.allow("B");
  expect(await decision).toBeUndefined();
  expect(waiting.all()).toEqual([]);
});

test("WaitingPods: a pod that is not allowed in time is rejected", async () => {
  const clock = new VirtualClock();
  const waiting = new WaitingPods(clock);
  waiting.add(
    pod,
    new Map([
      ["A", 90_000],
      ["B", 120_000],
    ]),
  );
  const decision = waiting.decision("p");
  await clock.advance(90_000);
  expect(await decision).toEqual({
    code: "Unschedulable",
    plugin: "A",
    reasons: ["rejected due to timeout after waiting 1m30s at plugin A"],
  });
  expect(clock.pending).toBe(0);
});

test("WaitingPods: the first decision counts", async () => {
  const waiting = new WaitingPods(new VirtualClock());
  waiting.add(pod, new Map([["A", 1000]]));
  const decision = waiting.decision("p");
  const one = waiting.get("p");
  expect(one?.preempt("Preemption", "preempted")).toBe(true);
  expect(one?.reject("A", "no")).toBe(false);
  expect(await decision).toMatchObject({ code: "Error", reasons: ["preempted"] });
  expect(await waiting.decision("unknown")).toBeUndefined();
});

test("PodsInPreBind: a pod can be cancelled until it is about to be bound", () => {
  const pods = new PodsInPreBind();
  const controller = new AbortController();
  pods.add("p", controller);
  expect(pods.get("p")?.cancel("preempted")).toBe(true);
  expect(controller.signal.aborted).toBe(true);
  expect(pods.finish("p")).toBe(false);
  pods.add("q", new AbortController());
  expect(pods.finish("q")).toBe(true);
  expect(pods.get("q")?.cancel("too late")).toBe(false);
});
