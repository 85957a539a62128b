import type { StatefulSet } from "../../api/apps/v1/stateful-set.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { ObjectKey } from "../../client/resource-kind.ts";
import { scaledValue } from "../../schema/values/int-or-string.ts";

/** How many replicas an update may make unavailable: at least one. */
export function maxUnavailableOf({ spec }: StatefulSet): number {
  const { replicas = 1, updateStrategy } = spec;
  const { maxUnavailable = 1 } = updateStrategy.rollingUpdate ?? {};
  return Math.max(scaledValue(maxUnavailable, replicas, "down"), 1);
}

const labels = ["statefulset_namespace", "statefulset_name", "pod_management_policy"];
const policies = ["OrderedReady", "Parallel"];

/** The metrics of updates that replace several pods at a time, with upstream's names. */
export function unavailabilityMetrics(metrics: Metrics) {
  const most = metrics.gauge({
    name: "statefulset_controller_statefulset_max_unavailable",
    help: "How many replicas an update of the stateful set may make unavailable.",
    stability: "ALPHA",
    labels,
  });
  const unavailable = metrics.gauge({
    name: "statefulset_controller_statefulset_unavailable_replicas",
    help: "How many replicas of the stateful set are missing or unavailable.",
    stability: "ALPHA",
    labels,
  });
  const labelsOf = ({ metadata, spec }: StatefulSet) =>
    [metadata.namespace ?? "", metadata.name ?? "", spec.podManagementPolicy ?? ""] as const;
  return {
    allowed: (set: StatefulSet): void => most.of(...labelsOf(set)).set(maxUnavailableOf(set)),
    found: (set: StatefulSet, count: number): void => unavailable.of(...labelsOf(set)).set(count),
    /** Forgets a stateful set that is gone. */
    gone({ namespace = "", name }: ObjectKey): void {
      for (const policy of policies)
        for (const gauge of [most, unavailable]) gauge.remove(namespace, name, policy);
    },
  };
}
