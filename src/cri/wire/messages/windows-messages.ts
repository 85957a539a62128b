import {
  bool,
  field,
  int,
  maybe,
  message,
  nested,
  repeated,
  text,
  uint64,
} from "../../../base/protobuf-message.ts";
import { namespaceMode } from "./linux-messages.ts";

// What concerns containers of Windows, which no runtime here has: messages of CRI v1 with upstream's names and numbers.

const WindowsNamespaceOption = message({ network: field(1, namespaceMode) });
const WindowsSandboxSecurityContext = message({
  run_as_username: field(1, text),
  credential_spec: field(2, text),
  host_process: field(3, bool),
  namespace_options: maybe(4, nested(WindowsNamespaceOption)),
});
export const WindowsPodSandboxConfig = message({
  security_context: maybe(1, nested(WindowsSandboxSecurityContext)),
});
const WindowsContainerSecurityContext = message({
  run_as_username: field(1, text),
  credential_spec: field(2, text),
  host_process: field(3, bool),
});
const WindowsCpuGroupAffinity = message({
  cpu_mask: field(1, uint64),
  cpu_group: field(2, int),
});
export const WindowsContainerResources = message({
  cpu_shares: field(1, int),
  cpu_count: field(2, int),
  cpu_maximum: field(3, int),
  memory_limit_in_bytes: field(4, int),
  rootfs_size_in_bytes: field(5, int),
  affinity_cpus: repeated(6, nested(WindowsCpuGroupAffinity)),
});
export const WindowsContainerConfig = message({
  resources: maybe(1, nested(WindowsContainerResources)),
  security_context: maybe(2, nested(WindowsContainerSecurityContext)),
});
