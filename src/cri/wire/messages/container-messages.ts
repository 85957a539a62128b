import {
  bool,
  bytes,
  field,
  int,
  int64,
  maybe,
  message,
  names,
  nested,
  repeated,
  text,
  textMap,
} from "../../../base/protobuf-message.ts";
import {
  CDIDevice,
  Device,
  groupsPolicy,
  IDMapping,
  ImageSpec,
  Int64Value,
  LinuxContainerResources,
  NamespaceOption,
  SELinuxOption,
  SecurityProfile,
} from "./linux-messages.ts";
import { PodSandboxConfig } from "./sandbox-config-messages.ts";
import { signal } from "./signal.ts";
import { WindowsContainerConfig, WindowsContainerResources } from "./windows-messages.ts";

// Containers: messages of CRI v1 with upstream's names and numbers.

const propagation = names({ private: 0, hostToContainer: 1, bidirectional: 2 });
const containerState = names({ created: 0, running: 1, exited: 2, unknown: 3 });
export const Mount = message({
  container_path: field(1, text),
  host_path: field(2, text),
  readonly: field(3, bool),
  selinux_relabel: field(4, bool),
  propagation: field(5, propagation),
  uidMappings: repeated(6, nested(IDMapping)),
  gidMappings: repeated(7, nested(IDMapping)),
  recursive_read_only: field(8, bool),
  image: maybe(9, nested(ImageSpec)),
  image_sub_path: field(10, text),
});
const KeyValue = message({ key: field(1, text), value: field(2, bytes) });
const Capability = message({
  add_capabilities: repeated(1, text),
  drop_capabilities: repeated(2, text),
  add_ambient_capabilities: repeated(3, text),
});
export const LinuxContainerSecurityContext = message({
  capabilities: maybe(1, nested(Capability)),
  privileged: field(2, bool),
  namespace_options: maybe(3, nested(NamespaceOption)),
  selinux_options: maybe(4, nested(SELinuxOption)),
  run_as_user: maybe(5, nested(Int64Value)),
  run_as_group: maybe(12, nested(Int64Value)),
  run_as_username: field(6, text),
  readonly_rootfs: field(7, bool),
  supplemental_groups: repeated(8, int),
  supplemental_groups_policy: field(17, groupsPolicy),
  no_new_privs: field(11, bool),
  masked_paths: repeated(13, text),
  readonly_paths: repeated(14, text),
  seccomp: maybe(15, nested(SecurityProfile)),
  apparmor: maybe(16, nested(SecurityProfile)),
  apparmor_profile: field(9, text),
  seccomp_profile_path: field(10, text),
});
const LinuxContainerConfig = message({
  resources: maybe(1, nested(LinuxContainerResources)),
  security_context: maybe(2, nested(LinuxContainerSecurityContext)),
});
const LinuxContainerUser = message({
  uid: field(1, int),
  gid: field(2, int),
  supplemental_groups: repeated(3, int),
});
const ContainerMetadata = message({ name: field(1, text), attempt: field(2, int) });
export const ContainerConfig = message({
  metadata: maybe(1, nested(ContainerMetadata)),
  image: maybe(2, nested(ImageSpec)),
  command: repeated(3, text),
  args: repeated(4, text),
  working_dir: field(5, text),
  envs: repeated(6, nested(KeyValue)),
  mounts: repeated(7, nested(Mount)),
  devices: repeated(8, nested(Device)),
  labels: textMap(9),
  annotations: textMap(10),
  log_path: field(11, text),
  stdin: field(12, bool),
  stdin_once: field(13, bool),
  tty: field(14, bool),
  linux: maybe(15, nested(LinuxContainerConfig)),
  windows: maybe(16, nested(WindowsContainerConfig)),
  CDI_devices: repeated(17, nested(CDIDevice)),
  stop_signal: field(18, signal),
});
export const CreateContainerRequest = message({
  pod_sandbox_id: field(1, text),
  config: maybe(2, nested(ContainerConfig)),
  sandbox_config: maybe(3, nested(PodSandboxConfig)),
});
export const CreateContainerResponse = message({ container_id: field(1, text) });
export const StartContainerRequest = message({ container_id: field(1, text) });
export const StartContainerResponse = message({});
export const StopContainerRequest = message({
  container_id: field(1, text),
  timeout: field(2, int),
});
export const StopContainerResponse = message({});
export const RemoveContainerRequest = message({ container_id: field(1, text) });
export const RemoveContainerResponse = message({});
const ContainerStateValue = message({ state: field(1, containerState) });
export const ContainerFilter = message({
  id: field(1, text),
  state: maybe(2, nested(ContainerStateValue)),
  pod_sandbox_id: field(3, text),
  label_selector: textMap(4),
});
export const ListContainersRequest = message({ filter: maybe(1, nested(ContainerFilter)) });
export const Container = message({
  id: field(1, text),
  pod_sandbox_id: field(2, text),
  metadata: maybe(3, nested(ContainerMetadata)),
  image: maybe(4, nested(ImageSpec)),
  image_ref: field(5, text),
  state: field(6, containerState),
  created_at: field(7, int64),
  labels: textMap(8),
  annotations: textMap(9),
  image_id: field(10, text),
});
export const ListContainersResponse = message({ containers: repeated(1, nested(Container)) });
export const StreamContainersRequest = message({ filter: maybe(1, nested(ContainerFilter)) });
export const StreamContainersResponse = message({ containers: repeated(1, nested(Container)) });
export const ContainerStatusRequest = message({
  container_id: field(1, text),
  verbose: field(2, bool),
});
const ContainerResources = message({
  linux: maybe(1, nested(LinuxContainerResources)),
  windows: maybe(2, nested(WindowsContainerResources)),
});
const ContainerUser = message({ linux: maybe(1, nested(LinuxContainerUser)) });
export const ContainerStatus = message({
  id: field(1, text),
  metadata: maybe(2, nested(ContainerMetadata)),
  state: field(3, containerState),
  created_at: field(4, int64),
  started_at: field(5, int64),
  finished_at: field(6, int64),
  exit_code: field(7, int),
  image: maybe(8, nested(ImageSpec)),
  image_ref: field(9, text),
  reason: field(10, text),
  message: field(11, text),
  labels: textMap(12),
  annotations: textMap(13),
  mounts: repeated(14, nested(Mount)),
  log_path: field(15, text),
  resources: maybe(16, nested(ContainerResources)),
  image_id: field(17, text),
  user: maybe(18, nested(ContainerUser)),
  stop_signal: field(19, signal),
});
export const ContainerStatusResponse = message({
  status: maybe(1, nested(ContainerStatus)),
  info: textMap(2),
});
export const UpdateContainerResourcesRequest = message({
  container_id: field(1, text),
  linux: maybe(2, nested(LinuxContainerResources)),
  windows: maybe(3, nested(WindowsContainerResources)),
  annotations: textMap(4),
});
export const UpdateContainerResourcesResponse = message({});
export const ReopenContainerLogRequest = message({ container_id: field(1, text) });
export const ReopenContainerLogResponse = message({});
export const CheckpointContainerRequest = message({
  container_id: field(1, text),
  location: field(2, text),
  timeout: field(3, int),
});
export const CheckpointContainerResponse = message({});
export const ContainerAttributes = message({
  id: field(1, text),
  metadata: maybe(2, nested(ContainerMetadata)),
  labels: textMap(3),
  annotations: textMap(4),
});
