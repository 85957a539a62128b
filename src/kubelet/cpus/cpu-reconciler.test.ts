import { expect, onTestFinished, test } from "vitest";
import { noLog } from "../../base/log.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import type { ContainerEvent, ContainerResources } from "../../cri/runtime-types.ts";
import { CpuReconciler } from "./cpu-reconciler.ts";
import { parseCpuSet } from "./cpu-set.ts";

/** A reconciler beside a runtime that notes what it is told. */
function reconcilerOf(running: readonly string[]) {
  const clock = new VirtualClock();
  const containers = new Set(running);
  const calls: string[] = [];
  const usable = new Map<string, string>();
  const listeners = new Set<(event: ContainerEvent) => void>();
  let problem: Error | undefined;
  const reconciler = new CpuReconciler({
    runtime: {
      listContainers: async () =>
        Array.from(containers, (key) => {
          const [podUid = "", name = ""] = key.split("/");
          return { id: key, podUid, metadata: { name, attempt: 0 } } as never;
        }),
      async updateContainerResources(id: string, { linux, ...others }: ContainerResources) {
        if (problem) throw problem;
        calls.push(`${id} ${linux?.cpusetCpus}`);
        expect(others).toEqual({});
      },
      containerEvents(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    usableBy: (podUid, name) => parseCpuSet(usable.get(`${podUid}/${name}`) ?? "0-3"),
    isActive: (podUid) => podUid !== "ended",
    ...{ retryMs: 10_000, clock, log: noLog },
  });
  onTestFinished(() => reconciler.close());
  const started = (key: string): void => {
    containers.add(key);
    const [podUid = ""] = key.split("/");
    for (const tell of listeners) tell({ type: "started", containerId: key, podUid, at: 0 });
  };
  const fail = (error?: Error): void => {
    problem = error;
  };
  const taken = (): readonly string[] => calls.splice(0);
  return { reconciler, clock, usable, started, fail, taken };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("CpuReconciler: moves containers once, and when their CPUs have changed", async () => {
  const { reconciler, usable, taken } = reconcilerOf(["a/c", "b/c", "ended/c"]);
  reconciler.reconcile();
  await settled();
  expect(taken()).toEqual(["a/c 0-3", "b/c 0-3"]);
  usable.set("b/c", "0,2-3");
  reconciler.reconcile();
  reconciler.reconcile();
  await settled();
  expect(taken()).toEqual(["b/c 0,2-3"]);
});

test("CpuReconciler: moves a container whose CPUs changed between its creation and its start", async () => {
  const { reconciler, usable, started, taken } = reconcilerOf([]);
  expect(reconciler.created("a", "c")).toBe("0-3");
  expect(reconciler.created("b", "c")).toBe("0-3");
  started("a/c");
  await settled();
  expect(taken()).toEqual([]);
  usable.set("b/c", "3");
  reconciler.reconcile();
  await settled();
  expect(taken()).toEqual([]);
  started("b/c");
  await settled();
  expect(taken()).toEqual(["b/c 3"]);
});

test("CpuReconciler: tries again after an error, but not for ever", async () => {
  const { reconciler, clock, fail, taken } = reconcilerOf(["a/c"]);
  fail(new Error("busy"));
  reconciler.reconcile();
  await settled();
  fail();
  await clock.advance(9_999);
  await settled();
  expect(taken()).toEqual([]);
  await clock.advance(1);
  await settled();
  expect(taken()).toEqual(["a/c 0-3"]);
  await clock.advance(60_000);
  await settled();
  expect(taken()).toEqual([]);
});
