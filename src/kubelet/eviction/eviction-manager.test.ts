import { expect, onTestFinished, test } from "vitest";
import { noLog } from "../../base/log.ts";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import { clusterWithNodes, type NodesCluster } from "../nodes.test-support.ts";
import { usageWith } from "./eviction.test-support.ts";
import {
  createEvictionManager,
  type EvictionManager,
  type EvictionOptions,
} from "./eviction-manager.ts";
import type { Reclaim } from "./filesystem-layout.ts";
import { parseThresholds, type ThresholdSettings } from "./parse-thresholds.ts";
import type { PodUsage } from "./pod-usage.ts";
import type { Signal } from "./signal.ts";

interface Machine {
  cluster: NodesCluster;
  manager: EvictionManager;
  /** What is available of each signal, of 1000. */
  available: Map<Signal, number>;
  usages: Map<string, PodUsage>;
  measured: string[];
  reclaimed: Reclaim[];
}

/** A simulated node whose observations a test sets. */
async function machineWith(
  settings: ThresholdSettings,
  maxPodGraceSeconds = 0,
  onReclaim?: (machine: Machine) => void,
  options: Partial<EvictionOptions> = {},
): Promise<Machine> {
  const cluster = await clusterWithNodes();
  onTestFinished(() => cluster.end());
  const kubelet = cluster.nodes.kubelets.get("node-1");
  if (!kubelet) throw new Error("the node does not run");
  const { clock } = cluster;
  const machine: Omit<Machine, "manager"> = {
    cluster,
    available: new Map(),
    usages: new Map(),
    measured: [],
    reclaimed: [],
  };
  const manager = createEvictionManager({
    thresholds: parseThresholds(settings),
    transitionMs: 300_000,
    maxPodGraceSeconds,
    clock,
    log: noLog,
    metrics: new MetricsRegistry(),
    observer: {
      layout: async () => "single",
      async observe() {
        const at = clock.now();
        const all = [...machine.available].map(
          ([signal, available]) => [signal, { available, capacity: 1000, at }] as const,
        );
        return new Map(all);
      },
      async measure({ metadata: { name = "" } }, need) {
        machine.measured.push(`${need} of ${name}`);
        return machine.usages.get(name);
      },
    },
    async reclaim(what) {
      machine.reclaimed.push(what);
      onReclaim?.({ ...machine, manager });
    },
    ...options,
  });
  onTestFinished(() => manager.close());
  manager.start(kubelet);
  await cluster.settled();
  return { ...machine, manager };
}

test("a node that watches its memory evicts within a second, and once for a crossing", async () => {
  const settings = { evictionHard: { "memory.available": "100" } };
  const watches = { watchesMemory: true };
  const { cluster, manager, available, usages } = await machineWith(
    settings,
    0,
    undefined,
    watches,
  );
  await cluster.run({ name: "large", container: { name: "c" } });
  await cluster.run({ name: "small" });
  usages.set("large", usageWith({ memory: 50 }));
  usages.set("small", usageWith({ memory: 5 }));
  available.set("memory.available", 900);
  await cluster.advance("3s");
  expect(manager.pressures()).toEqual([]);
  available.set("memory.available", 50);
  await cluster.advance("1s");
  expect(manager.pressures()).toEqual(["MemoryPressure"]);
  available.set("memory.available", 900);
  await cluster.advance("3s");
  expect((await cluster.pod("large")).status.reason).toBe("Evicted");
  expect((await cluster.pod("small")).status.phase).toBe("Running");
});

test("a node short of memory evicts one pod, reports the pressure, and looks again when the pod is gone", async () => {
  const { cluster, manager, available, usages } = await machineWith({
    evictionHard: { "memory.available": "100" },
  });
  await cluster.run({ name: "large", container: { name: "c" } });
  await cluster.run({ name: "small" });
  usages.set("large", usageWith({ memory: 50 }));
  usages.set("small", usageWith({ memory: 5 }));
  available.set("memory.available", 900);
  await cluster.advance("10s");
  expect(manager.pressures()).toEqual([]);
  available.set("memory.available", 50);
  await cluster.advance("10s");
  expect(manager.pressures()).toEqual(["MemoryPressure"]);
  available.set("memory.available", 900);
  await cluster.advance("5s");
  const { status } = await cluster.pod("large");
  const message =
    "The node was low on resource: memory. Threshold quantity: 100, available: 50. Container c was using 50Mi, request is 0, has larger consumption of memory. ";
  expect(status).toMatchObject({ phase: "Failed", reason: "Evicted", message });
  expect(status.conditions?.find(({ type }) => type === "DisruptionTarget")).toMatchObject({
    status: "True",
    reason: "TerminationByKubelet",
    message,
    observedGeneration: 1,
  });
  expect((await cluster.pod("small")).status.phase).toBe("Running");
  expect(await cluster.eventsOf("large")).toContain(`Evicted: ${message}`);
  expect(await cluster.eventsOf("node-1")).toContain(
    "EvictionThresholdMet: Attempting to reclaim memory",
  );
});

test("pods are evicted one after the other until enough is free", async () => {
  const { cluster, available } = await machineWith({ evictionHard: { "pid.available": "100" } });
  for (const name of ["a", "b"]) await cluster.run({ name });
  available.set("pid.available", 1);
  await cluster.advance("12s");
  for (const name of ["a", "b"])
    expect((await cluster.pod(name)).status).toMatchObject({
      phase: "Failed",
      message: "The node was low on resource: pids. Threshold quantity: 100, available: 1. ",
    });
});

test("what nobody uses is removed first, and no pod is evicted if that is enough", async () => {
  const { cluster, available, reclaimed, measured } = await machineWith(
    { evictionHard: { "nodefs.available": "100" } },
    0,
    (machine) => {
      if (machine.reclaimed.length === 2) machine.available.set("nodefs.available", 500);
    },
  );
  await cluster.run({ name: "web" });
  available.set("nodefs.available", 50);
  await cluster.advance("10s");
  expect(reclaimed).toEqual(["containers", "images"]);
  expect(measured).toEqual([]);
  expect((await cluster.pod("web")).status.phase).toBe("Running");
});

test("a soft threshold grants the shorter of the pod's and the configured grace period", async () => {
  const { cluster, available } = await machineWith(
    {
      evictionSoft: { "memory.available": "100" },
      evictionSoftGracePeriod: { "memory.available": "20s" },
    },
    60,
  );
  const { nodes } = cluster;
  const stops: number[] = [];
  const runtime = nodes.kubelets.get("node-1")?.runtime;
  if (!runtime) throw new Error("the node does not run");
  const { stopContainer } = runtime;
  runtime.stopContainer = (id, seconds) => {
    stops.push(seconds);
    return stopContainer.call(runtime, id, seconds);
  };
  await cluster.run({ name: "web", spec: { terminationGracePeriodSeconds: 45 } });
  available.set("memory.available", 50);
  await cluster.advance("25s");
  expect(stops).toEqual([]);
  await cluster.advance("10s");
  expect(stops).toEqual([45]);
});

test("critical pods are never evicted", async () => {
  const { cluster, available } = await machineWith({ evictionHard: { "memory.available": "100" } });
  const spec = { priorityClassName: "system-node-critical" };
  await cluster.run({ name: "system", spec });
  available.set("memory.available", 1);
  await cluster.advance("30s");
  expect((await cluster.pod("system")).status.phase).toBe("Running");
});

test("a pod that exceeds the limit of a volume is evicted; only pods with limits are measured", async () => {
  const { cluster, usages, measured } = await machineWith({});
  await cluster.run({ name: "free" });
  await cluster.run({
    name: "limited",
    spec: { volumes: [{ name: "v", emptyDir: { sizeLimit: "1Mi" } }] },
  });
  usages.set("limited", usageWith({ volumes: { v: 2 } }));
  await cluster.advance("15s");
  expect(new Set(measured)).toEqual(new Set(["disk of limited"]));
  const { status } = await cluster.pod("limited");
  expect(status).toMatchObject({
    phase: "Failed",
    reason: "Evicted",
    message: 'Usage of EmptyDir volume "v" exceeds the limit "1Mi". ',
  });
  expect(status.conditions?.map(({ type }) => type)).not.toContain("DisruptionTarget");
});
