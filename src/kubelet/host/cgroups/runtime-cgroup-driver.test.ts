import { expect, test } from "vitest";
import { noLog } from "../../../base/log.ts";
import { MetricsRegistry } from "../../../base/metrics-registry.ts";
import { VirtualClock } from "../../../base/virtual-clock.ts";
import { RuntimeError } from "../../../cri/runtime-service.ts";
import type { RuntimeConfig } from "../../../cri/runtime-status.ts";
import { runtimeCgroupDriver } from "./runtime-cgroup-driver.ts";

/** Asks a runtime, and returns what was found so far. */
function ask(runtimeConfig: () => Promise<RuntimeConfig>) {
  const clock = new VirtualClock();
  const metrics = new MetricsRegistry();
  const options = { runtime: { runtimeConfig }, clock, log: noLog, metrics };
  const found: unknown[] = [];
  void runtimeCgroupDriver(options).then((driver) => found.push(driver));
  return { clock, metrics, found };
}

test("runtimeCgroupDriver: the runtime decides", async () => {
  const { clock, found, metrics } = ask(async () => ({ cgroupDriver: "systemd" }));
  await clock.advance(1);
  expect(found).toEqual(["systemd"]);
  expect(metrics.text()).not.toContain("losing_support");
});

test("runtimeCgroupDriver: one that does not respond yet is asked again", async () => {
  let isThere = false;
  const { clock, found } = ask(async () => {
    if (isThere) return { cgroupDriver: "cgroupfs" };
    throw new RuntimeError("Unavailable", "connection refused");
  });
  await clock.advance(60_000);
  expect(found).toEqual([]);
  isThere = true;
  await clock.advance(7000);
  expect(found).toEqual(["cgroupfs"]);
});

test("runtimeCgroupDriver: the configuration decides for an old runtime, which is counted", async () => {
  const { clock, found, metrics } = ask(async () => {
    throw new RuntimeError("Unimplemented", "unknown method RuntimeConfig");
  });
  await clock.advance(1);
  expect(found).toEqual([undefined]);
  expect(metrics.text()).toContain('kubelet_cri_losing_support{version="1.37.0"} 1');
});
