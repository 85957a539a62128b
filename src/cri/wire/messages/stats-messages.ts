import {
  double,
  field,
  int64,
  maybe,
  message,
  nested,
  repeated,
  text,
  textMap,
  uint64,
} from "../../../base/protobuf-message.ts";
import { ContainerAttributes } from "./container-messages.ts";
import { FilesystemIdentifier, UInt64Value } from "./linux-messages.ts";
import { PodSandboxMetadata } from "./sandbox-config-messages.ts";
import { WindowsPodSandboxStats } from "./windows-stats-messages.ts";

// Resource usage: messages of CRI v1 with upstream's names and numbers.

export const FilesystemUsage = message({
  timestamp: field(1, int64),
  fs_id: maybe(2, nested(FilesystemIdentifier)),
  used_bytes: maybe(3, nested(UInt64Value)),
  inodes_used: maybe(4, nested(UInt64Value)),
});
export const PsiData = message({
  Total: field(1, uint64),
  Avg10: field(2, double),
  Avg60: field(3, double),
  Avg300: field(4, double),
});
export const PsiStats = message({
  Full: maybe(1, nested(PsiData)),
  Some: maybe(2, nested(PsiData)),
});
export const CpuUsage = message({
  timestamp: field(1, int64),
  usage_core_nano_seconds: maybe(2, nested(UInt64Value)),
  usage_nano_cores: maybe(3, nested(UInt64Value)),
  psi: maybe(4, nested(PsiStats)),
});
export const MemoryUsage = message({
  timestamp: field(1, int64),
  working_set_bytes: maybe(2, nested(UInt64Value)),
  available_bytes: maybe(3, nested(UInt64Value)),
  usage_bytes: maybe(4, nested(UInt64Value)),
  rss_bytes: maybe(5, nested(UInt64Value)),
  page_faults: maybe(6, nested(UInt64Value)),
  major_page_faults: maybe(7, nested(UInt64Value)),
  psi: maybe(8, nested(PsiStats)),
});
const IoUsage = message({ timestamp: field(1, int64), psi: maybe(2, nested(PsiStats)) });
const SwapUsage = message({
  timestamp: field(1, int64),
  swap_available_bytes: maybe(2, nested(UInt64Value)),
  swap_usage_bytes: maybe(3, nested(UInt64Value)),
});
export const ContainerStats = message({
  attributes: maybe(1, nested(ContainerAttributes)),
  cpu: maybe(2, nested(CpuUsage)),
  memory: maybe(3, nested(MemoryUsage)),
  writable_layer: maybe(4, nested(FilesystemUsage)),
  swap: maybe(5, nested(SwapUsage)),
  io: maybe(6, nested(IoUsage)),
});
export const ContainerStatsRequest = message({ container_id: field(1, text) });
export const ContainerStatsResponse = message({ stats: maybe(1, nested(ContainerStats)) });
const ContainerStatsFilter = message({
  id: field(1, text),
  pod_sandbox_id: field(2, text),
  label_selector: textMap(3),
});
export const ListContainerStatsRequest = message({
  filter: maybe(1, nested(ContainerStatsFilter)),
});
export const ListContainerStatsResponse = message({ stats: repeated(1, nested(ContainerStats)) });
export const StreamContainerStatsRequest = message({
  filter: maybe(1, nested(ContainerStatsFilter)),
});
export const StreamContainerStatsResponse = message({
  container_stats: repeated(1, nested(ContainerStats)),
});
export const NetworkInterfaceUsage = message({
  name: field(1, text),
  rx_bytes: maybe(2, nested(UInt64Value)),
  rx_errors: maybe(3, nested(UInt64Value)),
  tx_bytes: maybe(4, nested(UInt64Value)),
  tx_errors: maybe(5, nested(UInt64Value)),
});
const NetworkUsage = message({
  timestamp: field(1, int64),
  default_interface: maybe(2, nested(NetworkInterfaceUsage)),
  interfaces: repeated(3, nested(NetworkInterfaceUsage)),
});
const ProcessUsage = message({
  timestamp: field(1, int64),
  process_count: maybe(2, nested(UInt64Value)),
});
const PodSandboxAttributes = message({
  id: field(1, text),
  metadata: maybe(2, nested(PodSandboxMetadata)),
  labels: textMap(3),
  annotations: textMap(4),
});
const LinuxPodSandboxStats = message({
  cpu: maybe(1, nested(CpuUsage)),
  memory: maybe(2, nested(MemoryUsage)),
  network: maybe(3, nested(NetworkUsage)),
  process: maybe(4, nested(ProcessUsage)),
  containers: repeated(5, nested(ContainerStats)),
  io: maybe(6, nested(IoUsage)),
});
export const PodSandboxStats = message({
  attributes: maybe(1, nested(PodSandboxAttributes)),
  linux: maybe(2, nested(LinuxPodSandboxStats)),
  windows: maybe(3, nested(WindowsPodSandboxStats)),
});
export const PodSandboxStatsRequest = message({ pod_sandbox_id: field(1, text) });
export const PodSandboxStatsResponse = message({ stats: maybe(1, nested(PodSandboxStats)) });
const PodSandboxStatsFilter = message({ id: field(1, text), label_selector: textMap(2) });
export const ListPodSandboxStatsRequest = message({
  filter: maybe(1, nested(PodSandboxStatsFilter)),
});
export const ListPodSandboxStatsResponse = message({ stats: repeated(1, nested(PodSandboxStats)) });
export const StreamPodSandboxStatsRequest = message({
  filter: maybe(1, nested(PodSandboxStatsFilter)),
});
export const StreamPodSandboxStatsResponse = message({
  pod_sandbox_stats: repeated(1, nested(PodSandboxStats)),
});
