import { expect, test } from "vitest";
import { each } from "../../../test/each.ts";
import { noLog } from "../../base/log.ts";
import { MetricsRegistry } from "../../base/metrics-registry.ts";
import { VirtualClock } from "../../base/virtual-clock.ts";
import type { RuntimeCondition, RuntimeStatus } from "../../cri/runtime-status.ts";
import { createRuntimeHealth } from "./runtime-health.ts";

const condition = (type: string, isTrue: boolean): RuntimeCondition => ({
  type,
  isTrue,
  reason: isTrue ? "" : "NetworkPluginNotReady",
  message: isTrue ? "" : "cni plugin not initialized",
});
const statusWith = (...conditions: readonly RuntimeCondition[]): RuntimeStatus => ({
  conditions,
  handlers: [],
  features: { supplementalGroupsPolicy: true, userNamespacesHostNetwork: false },
});
const runtimeReady = condition("RuntimeReady", true);
const ready = statusWith(runtimeReady, condition("NetworkReady", true));

function healthOf(status: () => Promise<RuntimeStatus>, list = async () => [] as const) {
  const clock = new VirtualClock();
  const runtime = {
    status,
    version: async () => ({ runtimeName: "containerd", runtimeVersion: "2.1.9" }),
    listPodSandboxes: list,
  };
  const metrics = new MetricsRegistry();
  return { clock, metrics, health: createRuntimeHealth({ runtime, clock, log: noLog, metrics }) };
}

test("a runtime is unknown at first, and known after a check", async () => {
  const { health } = healthOf(async () => ready);
  expect(health.problems()).toEqual([
    "container runtime status check may not have completed yet",
    "PLEG is not healthy: pleg has yet to be successful",
    "network state unknown",
  ]);
  await health.check();
  expect(health.problems()).toEqual([]);
  expect(health.status).toBe(ready);
  expect(health.version).toBe("containerd://2.1.9");
});

each<[RuntimeStatus, readonly string[]]>([
  [
    statusWith(runtimeReady, condition("NetworkReady", false)),
    [
      "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:cni plugin not initialized",
    ],
  ],
  [statusWith(runtimeReady), ["container runtime network not ready: <nil>"]],
  [
    statusWith(condition("RuntimeReady", false), condition("NetworkReady", true)),
    [
      "container runtime status check may not have completed yet",
      "container runtime not ready: RuntimeReady=false reason:NetworkPluginNotReady message:cni plugin not initialized",
    ],
  ],
])("problems of %j", async (status, expected) => {
  const { health } = healthOf(async () => status);
  await health.check();
  expect(health.problems()).toEqual(expected);
});

test("a runtime that fails is down after 30 seconds, and unhealthy after three minutes", async () => {
  let works = true;
  const orThrow = <T>(value: T): T => {
    if (!works) throw new Error("connection refused");
    return value;
  };
  const { health, clock } = healthOf(
    async () => orThrow(ready),
    async () => orThrow([]),
  );
  await health.check();
  works = false;
  await clock.advance(29_000);
  await health.check();
  expect(health.problems()).toEqual([]);
  await clock.advance(1000);
  await health.check();
  expect(health.problems()).toEqual(["container runtime is down"]);
  await clock.advance(150_500);
  expect(health.problems()).toEqual([
    "container runtime is down",
    "PLEG is not healthy: pleg was last seen active 3m0.5s ago; threshold is 3m0s",
  ]);
  works = true;
  await health.check();
  expect(health.problems()).toEqual([]);
});

test("a runtime that does not respond is asked once, and the check ends after five seconds", async () => {
  let asked = 0;
  let respond: ((status: RuntimeStatus) => void) | undefined;
  const { health, clock } = healthOf(() => {
    asked++;
    return new Promise((resolve) => {
      respond = resolve;
    });
  });
  const first = health.check();
  await clock.advance(5000);
  await first;
  const second = health.check();
  respond?.(ready);
  await second;
  expect(asked).toBe(1);
  expect(health.problems()).toEqual([]);
});

test("the lists of a runtime are measured as those of PLEG", async () => {
  const { clock, health, metrics } = healthOf(async () => ready);
  await clock.advance(1000);
  await health.check();
  await clock.advance(4000);
  await health.check();
  const text = metrics.text();
  expect(text).toContain("kubelet_pleg_relist_duration_seconds_count 2\n");
  expect(text).toContain("kubelet_pleg_relist_interval_seconds_sum 4\n");
  expect(text).toContain("kubelet_pleg_last_seen_seconds 5\n");
});

test("a problem of the network is known to exist still", async () => {
  let isReady = false;
  let calls = 0;
  const { health } = healthOf(async () => {
    calls++;
    return statusWith(runtimeReady, condition("NetworkReady", isReady));
  });
  expect(await health.networkProblem()).toBe(
    "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:cni plugin not initialized",
  );
  isReady = true;
  expect(await health.networkProblem()).toBeUndefined();
  expect(await health.networkProblem()).toBeUndefined();
  expect(calls).toBe(2);
});
