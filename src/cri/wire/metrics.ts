import type { MessageOf, Sent } from "../../base/protobuf-message.ts";
import type { Metric, PodSandboxMetrics } from "../stats-types.ts";
import type {
  Metric as WireMetric,
  PodSandboxMetrics as WireMetrics,
} from "./messages/metric-messages.ts";
import { fromNanos, toNanos } from "./times.ts";
import { unwrapped, wrapped } from "./wrapped-numbers.ts";

/** The metrics of a pod, as a message. */
export const metricsToWire = (pod: PodSandboxMetrics): Sent<MessageOf<typeof WireMetrics>> => ({
  pod_sandbox_id: pod.sandboxId,
  metrics: pod.metrics.map(metricToWire),
  container_metrics: pod.containers.map(({ containerId, metrics }) => ({
    container_id: containerId,
    metrics: metrics.map(metricToWire),
  })),
});

/** The metrics of a pod, from a message. */
export const metricsFromWire = (wire: MessageOf<typeof WireMetrics>): PodSandboxMetrics => ({
  sandboxId: wire.pod_sandbox_id,
  metrics: wire.metrics.map(metricFromWire),
  containers: wire.container_metrics.map(({ container_id: containerId, metrics }) => ({
    containerId,
    metrics: metrics.map(metricFromWire),
  })),
});

const metricToWire = ({ name, at, type, labelValues, value }: Metric) => ({
  name,
  timestamp: toNanos(at),
  metric_type: type,
  label_values: labelValues,
  value: wrapped(Math.max(0, Math.round(value))),
});

const metricFromWire = (wire: MessageOf<typeof WireMetric>): Metric => ({
  name: wire.name,
  at: fromNanos(wire.timestamp),
  type: wire.metric_type,
  labelValues: wire.label_values,
  value: unwrapped(wire.value) ?? 0,
});
