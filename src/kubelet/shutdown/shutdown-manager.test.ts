import { expect, onTestFinished, test } from "vitest";
import type { Pod } from "../../api/core/v1/pod/pod.ts";
import { noLog } from "../../base/log.ts";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import { clusterWithNodes } from "../nodes.test-support.ts";
import { createShutdownManager, type ShutdownTimes } from "./shutdown-manager.ts";

test("pods end by priority, each in its own time but not beyond that of its group", async () => {
  const cluster = await clusterWithNodes();
  onTestFinished(() => cluster.end());
  const kubelet = cluster.nodes.kubelets.get("node-1");
  if (!kubelet) throw new Error("the node does not run");
  const metrics = new MetricsRegistry();
  const saved: ShutdownTimes[] = [];
  const manager = createShutdownManager({
    periods: [
      { priority: 0, seconds: 20 },
      { priority: 2_000_000_000, seconds: 10 },
    ],
    clock: cluster.clock,
    log: noLog,
    metrics,
    saveTimes: async (times) => void saved.push(times),
  });
  const stops: string[] = [];
  const { runtime } = kubelet;
  const { stopContainer } = runtime;
  const start = cluster.clock.now();
  runtime.stopContainer = async (id, seconds) => {
    const { labels } = await runtime.containerStatus(id);
    const at = (cluster.clock.now() - start) / 1000;
    stops.push(`${labels["io.kubernetes.pod.name"]} at ${at} within ${seconds}`);
    return stopContainer.call(runtime, id, seconds);
  };
  const stubborn = { command: ["sh", "-c", "trap '' TERM; sleep 1000"] };
  await cluster.run({ name: "quick", spec: { terminationGracePeriodSeconds: 5 } });
  await cluster.run({
    name: "slow",
    spec: { terminationGracePeriodSeconds: 100 },
    container: stubborn,
  });
  await cluster.run({ name: "dns", spec: { priorityClassName: "system-node-critical" } });

  expect(manager.problems()).toEqual([]);
  const ended = manager.shutDown(kubelet);
  expect(manager.problems()).toEqual(["node is shutting down"]);
  expect(manager.admit({} as Pod)).toEqual({
    reason: "NodeShutdown",
    message: "Pod was rejected as the node is shutting down.",
  });
  await cluster.advance("40s");
  await ended;
  expect(stops.slice(0, 2).sort()).toEqual(["quick at 0 within 5", "slow at 0 within 20"]);
  expect(stops[2]).toMatch(/^dns at (0|20) within 10$/);
  const message = "Pod was terminated in response to imminent node shutdown.";
  for (const name of ["quick", "slow", "dns"]) {
    const { status } = await cluster.pod(name);
    expect(status).toMatchObject({ phase: "Failed", reason: "Terminated", message });
    expect(status.conditions?.find(({ type }) => type === "DisruptionTarget")).toMatchObject({
      status: "True",
      reason: "TerminationByKubelet",
      message,
    });
  }
  expect(saved).toHaveLength(2);
  expect(saved[1]?.endedAt).toBeGreaterThanOrEqual(start);
  expect(metrics.text()).toContain("kubelet_graceful_shutdown_start_time_seconds 1.7672256e+09");

  manager.cancel(kubelet);
  expect(manager.problems()).toEqual([]);
  expect(manager.admit({} as Pod)).toBeUndefined();
  await cluster.settled();
  const events = await cluster.eventsOf("node-1");
  expect(events).toContain("NodeShutdown: Shutdown manager detected shutdown event");
  expect(events).toContain("NodeShutdown: Shutdown manager detected shutdown cancellation");
});
