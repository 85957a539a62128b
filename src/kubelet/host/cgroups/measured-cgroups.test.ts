import { expect, test } from "vitest";
import { MetricsRegistry } from "../../../base/metrics-registry.ts";
import type { Cgroups } from "../../../platform/cgroups/cgroups.ts";
import { measuredCgroups } from "./measured-cgroups.ts";

test("measuredCgroups: measures changes, those that fail too", async () => {
  const metrics = new MetricsRegistry();
  let now = 0;
  const host = {
    version: "v2",
    create: async () => {},
    update: async () => {
      throw new Error("refused");
    },
    remove: async () => {},
  } as unknown as Cgroups;
  const cgroups = measuredCgroups(host, { metrics, ticks: () => (now += 500) });
  await cgroups.create("/a");
  await expect(cgroups.update("/a", {})).rejects.toThrow("refused");
  await cgroups.remove("/a");
  const text = metrics.text();
  for (const operation of ["create", "update", "destroy"])
    expect(text).toContain(
      `kubelet_cgroup_manager_duration_seconds_sum{operation_type="${operation}"} 0.5\n`,
    );
  expect(text).toContain("kubelet_cgroup_version 2\n");
});
