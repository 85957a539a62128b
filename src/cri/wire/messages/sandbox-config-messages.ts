import {
  bool,
  field,
  int,
  maybe,
  message,
  nested,
  repeated,
  text,
  textMap,
} from "../../../base/protobuf-message.ts";
import {
  DNSConfig,
  groupsPolicy,
  Int64Value,
  LinuxContainerResources,
  NamespaceOption,
  PortMapping,
  SELinuxOption,
  SecurityProfile,
} from "./linux-messages.ts";
import { WindowsPodSandboxConfig } from "./windows-messages.ts";

// The configuration of a pod's sandbox: messages of CRI v1 with upstream's names and numbers.

export const LinuxSandboxSecurityContext = message({
  namespace_options: maybe(1, nested(NamespaceOption)),
  selinux_options: maybe(2, nested(SELinuxOption)),
  run_as_user: maybe(3, nested(Int64Value)),
  run_as_group: maybe(8, nested(Int64Value)),
  readonly_rootfs: field(4, bool),
  supplemental_groups: repeated(5, int),
  supplemental_groups_policy: field(11, groupsPolicy),
  privileged: field(6, bool),
  seccomp: maybe(9, nested(SecurityProfile)),
  apparmor: maybe(10, nested(SecurityProfile)),
  seccomp_profile_path: field(7, text),
});
const LinuxPodSandboxConfig = message({
  cgroup_parent: field(1, text),
  security_context: maybe(2, nested(LinuxSandboxSecurityContext)),
  sysctls: textMap(3),
  overhead: maybe(4, nested(LinuxContainerResources)),
  resources: maybe(5, nested(LinuxContainerResources)),
});
export const PodSandboxMetadata = message({
  name: field(1, text),
  uid: field(2, text),
  namespace: field(3, text),
  attempt: field(4, int),
});
export const PodSandboxConfig = message({
  metadata: maybe(1, nested(PodSandboxMetadata)),
  hostname: field(2, text),
  log_directory: field(3, text),
  dns_config: maybe(4, nested(DNSConfig)),
  port_mappings: repeated(5, nested(PortMapping)),
  labels: textMap(6),
  annotations: textMap(7),
  linux: maybe(8, nested(LinuxPodSandboxConfig)),
  windows: maybe(9, nested(WindowsPodSandboxConfig)),
});
