import type { Metrics } from "../../../base/metrics.ts";
import type { Cgroups } from "../../../platform/cgroups/cgroups.ts";

export interface MeasureOptions {
  readonly metrics: Metrics;
  /** Milliseconds of a steady clock. */
  readonly ticks: () => number;
}

/** Wraps the cgroups of a host: measures how long changes take. */
export function measuredCgroups(cgroups: Cgroups, { metrics, ticks }: MeasureOptions): Cgroups {
  const { version, controllers } = cgroups;
  const durations = metrics.histogram({
    name: "kubelet_cgroup_manager_duration_seconds",
    help: "Duration in seconds for cgroup manager operations. Broken down by method.",
    stability: "ALPHA",
    labels: ["operation_type"],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  metrics
    .gauge({
      name: "kubelet_cgroup_version",
      help: "cgroup version on the hosts.",
      stability: "ALPHA",
    })
    .of()
    .set(version === "v2" ? 2 : 1);
  const measure = async (operation: string, work: Promise<void>): Promise<void> => {
    const began = ticks();
    try {
      await work;
    } finally {
      durations.of(operation).observe((ticks() - began) / 1000);
    }
  };
  return {
    ...{ version, controllers },
    exists: (path) => cgroups.exists(path),
    children: (path) => cgroups.children(path),
    pids: (path) => cgroups.pids(path),
    hasOomKill: (path) => cgroups.hasOomKill(path),
    usage: (path) => cgroups.usage(path),
    stats: (path) => cgroups.stats(path),
    limits: (path) => cgroups.limits(path),
    create: (path) => measure("create", cgroups.create(path)),
    update: (path, resources) => measure("update", cgroups.update(path, resources)),
    remove: (path) => measure("destroy", cgroups.remove(path)),
  };
}
