import { csiPluginName } from "../../api/core/v1/volume/csi-volume-key.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { NodeView } from "./node-view.ts";
import type { ForcedBecause } from "./plan-detachment.ts";
import { volumesOfPod } from "./wanted-volumes.ts";

/** Counts volumes and what is done with them, in upstream's metrics. */
export interface AttachDetachMetrics {
  /** Notes the volumes of a node; undefined if it has none any more. */
  seen(nodeName: string, view: NodeView | undefined): void;
  forced(reason: ForcedBecause): void;
  /** An operation has ended. */
  ended(
    operation: "volume_attach" | "volume_detach",
    driver: string,
    outcome: { readonly isFailed: boolean; readonly ms: number },
  ): void;
}

type Counts = ReadonlyMap<string, number>;
interface NodeCounts {
  readonly used: Counts;
  readonly desired: Counts;
  readonly actual: Counts;
}

const pluginOf = (driver: string): string => `${csiPluginName}:${driver}`;

export function attachDetachMetrics(metrics: Metrics): AttachDetachMetrics {
  const inUse = metrics.gauge({
    name: "storage_count_attachable_volumes_in_use",
    help: "Measure number of volumes in use",
    stability: "ALPHA",
    labels: ["node", "volume_plugin"],
  });
  const total = metrics.gauge({
    name: "attachdetach_controller_total_volumes",
    help: "Number of volumes in A/D Controller",
    stability: "ALPHA",
    labels: ["plugin_name", "state"],
  });
  const forced = metrics.counter({
    name: "attach_detach_controller_attachdetach_controller_forced_detaches",
    help: "Number of times the A/D Controller performed a forced detach",
    stability: "ALPHA",
    labels: ["reason"],
  });
  const seconds = metrics.histogram({
    name: "storage_operation_duration_seconds",
    help: "Storage operation duration",
    stability: "ALPHA",
    labels: ["volume_plugin", "operation_name", "status", "migrated"],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600],
  });
  const nodes = new Map<string, NodeCounts>();
  metrics.onRead(() => {
    inUse.reset();
    total.reset();
    for (const [node, { used, desired, actual }] of nodes) {
      for (const [plugin, count] of used) inUse.of(node, plugin).set(count);
      for (const [plugin, count] of desired) total.of(plugin, "desired_state_of_world").add(count);
      for (const [plugin, count] of actual) total.of(plugin, "actual_state_of_world").add(count);
    }
  });
  return {
    seen(nodeName, view) {
      if (view) nodes.set(nodeName, countsOf(view));
      else nodes.delete(nodeName);
    },
    forced: (reason) => forced.of(reason).add(1),
    ended: (operation, driver, { isFailed, ms }) =>
      seconds
        .of(pluginOf(driver), operation, isFailed ? "fail-unknown" : "success", "false")
        .observe(ms / 1000),
  };
}

const countsOf = ({ pods, lookup, wanted, attachments }: NodeView): NodeCounts => ({
  used: count(pods.flatMap((pod) => volumesOfPod(pod, lookup))),
  desired: count([...wanted.values()].map(({ volume }) => volume)),
  actual: count(attachments),
});

function count(volumes: readonly { readonly driver: string }[]): Counts {
  const counts = new Map<string, number>();
  for (const { driver } of volumes)
    counts.set(pluginOf(driver), (counts.get(pluginOf(driver)) ?? 0) + 1);
  return counts;
}
