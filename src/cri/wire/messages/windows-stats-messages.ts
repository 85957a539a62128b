import {
  field,
  int64,
  maybe,
  message,
  nested,
  repeated,
  text,
} from "../../../base/protobuf-message.ts";
import { ContainerAttributes } from "./container-messages.ts";
import { FilesystemIdentifier, UInt64Value } from "./linux-messages.ts";

// Resource usage of containers of Windows: messages of CRI v1 with upstream's names and numbers.

const WindowsCpuUsage = message({
  timestamp: field(1, int64),
  usage_core_nano_seconds: maybe(2, nested(UInt64Value)),
  usage_nano_cores: maybe(3, nested(UInt64Value)),
});
const WindowsMemoryUsage = message({
  timestamp: field(1, int64),
  working_set_bytes: maybe(2, nested(UInt64Value)),
  available_bytes: maybe(3, nested(UInt64Value)),
  page_faults: maybe(4, nested(UInt64Value)),
  commit_memory_bytes: maybe(5, nested(UInt64Value)),
});
const WindowsNetworkInterfaceUsage = message({
  name: field(1, text),
  rx_bytes: maybe(2, nested(UInt64Value)),
  rx_packets_dropped: maybe(3, nested(UInt64Value)),
  tx_bytes: maybe(4, nested(UInt64Value)),
  tx_packets_dropped: maybe(5, nested(UInt64Value)),
});
const WindowsNetworkUsage = message({
  timestamp: field(1, int64),
  default_interface: maybe(2, nested(WindowsNetworkInterfaceUsage)),
  interfaces: repeated(3, nested(WindowsNetworkInterfaceUsage)),
});
const WindowsProcessUsage = message({
  timestamp: field(1, int64),
  process_count: maybe(2, nested(UInt64Value)),
});
const WindowsFilesystemUsage = message({
  timestamp: field(1, int64),
  fs_id: maybe(2, nested(FilesystemIdentifier)),
  used_bytes: maybe(3, nested(UInt64Value)),
});
const WindowsContainerStats = message({
  attributes: maybe(1, nested(ContainerAttributes)),
  cpu: maybe(2, nested(WindowsCpuUsage)),
  memory: maybe(3, nested(WindowsMemoryUsage)),
  writable_layer: maybe(4, nested(WindowsFilesystemUsage)),
});
export const WindowsPodSandboxStats = message({
  cpu: maybe(1, nested(WindowsCpuUsage)),
  memory: maybe(2, nested(WindowsMemoryUsage)),
  network: maybe(3, nested(WindowsNetworkUsage)),
  process: maybe(4, nested(WindowsProcessUsage)),
  containers: repeated(5, nested(WindowsContainerStats)),
});
