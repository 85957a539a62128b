import {
  field,
  int64,
  maybe,
  message,
  names,
  nested,
  repeated,
  text,
} from "../../../base/protobuf-message.ts";
import { UInt64Value } from "./linux-messages.ts";

// Metrics of pods and containers: messages of CRI v1 with upstream's names and numbers.

const metricType = names({ counter: 0, gauge: 1 });
export const ListMetricDescriptorsRequest = message({});
const MetricDescriptor = message({
  name: field(1, text),
  help: field(2, text),
  label_keys: repeated(3, text),
});
export const ListMetricDescriptorsResponse = message({
  descriptors: repeated(1, nested(MetricDescriptor)),
});
export const ListPodSandboxMetricsRequest = message({});
export const Metric = message({
  name: field(1, text),
  timestamp: field(2, int64),
  metric_type: field(3, metricType),
  label_values: repeated(4, text),
  value: maybe(5, nested(UInt64Value)),
});
const ContainerMetrics = message({
  container_id: field(1, text),
  metrics: repeated(2, nested(Metric)),
});
export const PodSandboxMetrics = message({
  pod_sandbox_id: field(1, text),
  metrics: repeated(2, nested(Metric)),
  container_metrics: repeated(3, nested(ContainerMetrics)),
});
export const ListPodSandboxMetricsResponse = message({
  pod_metrics: repeated(1, nested(PodSandboxMetrics)),
});
export const StreamPodSandboxMetricsRequest = message({});
export const StreamPodSandboxMetricsResponse = message({
  pod_sandbox_metrics: repeated(1, nested(PodSandboxMetrics)),
});
