import {
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
  uint64,
} from "../../../base/protobuf-message.ts";

// What Linux's containers and sandboxes share: messages of CRI v1 with upstream's names and numbers.

const protocol = names({ TCP: 0, UDP: 1, SCTP: 2 });
export const namespaceMode = names({ pod: 0, container: 1, node: 2, target: 3 });
export const groupsPolicy = names({ merge: 0, strict: 1 });
const profileType = names({ runtimeDefault: 0, unconfined: 1, localhost: 2 });
export const ImageSpec = message({
  image: field(1, text),
  annotations: textMap(2),
  user_specified_image: field(18, text),
  runtime_handler: field(19, text),
  image_ref: field(20, text),
});
export const Int64Value = message({ value: field(1, int) });
export const UInt64Value = message({ value: field(1, uint64) });
export const IDMapping = message({
  host_id: field(1, int),
  container_id: field(2, int),
  length: field(3, int),
});
const UserNamespace = message({
  mode: field(1, namespaceMode),
  uids: repeated(2, nested(IDMapping)),
  gids: repeated(3, nested(IDMapping)),
});
export const NamespaceOption = message({
  network: field(1, namespaceMode),
  pid: field(2, namespaceMode),
  ipc: field(3, namespaceMode),
  target_id: field(4, text),
  userns_options: maybe(5, nested(UserNamespace)),
});
export const SecurityProfile = message({
  profile_type: field(1, profileType),
  localhost_ref: field(2, text),
});
export const SELinuxOption = message({
  user: field(1, text),
  role: field(2, text),
  type: field(3, text),
  level: field(4, text),
});
const HugepageLimit = message({ page_size: field(1, text), limit: field(2, uint64) });
export const LinuxContainerResources = message({
  cpu_period: field(1, int),
  cpu_quota: field(2, int),
  cpu_shares: field(3, int),
  memory_limit_in_bytes: field(4, int64),
  oom_score_adj: field(5, int),
  cpuset_cpus: field(6, text),
  cpuset_mems: field(7, text),
  hugepage_limits: repeated(8, nested(HugepageLimit)),
  unified: textMap(9),
  memory_swap_limit_in_bytes: field(10, int64),
});
export const DNSConfig = message({
  servers: repeated(1, text),
  searches: repeated(2, text),
  options: repeated(3, text),
});
export const PortMapping = message({
  protocol: field(1, protocol),
  container_port: field(2, int),
  host_port: field(3, int),
  host_ip: field(4, text),
});
export const Device = message({
  container_path: field(1, text),
  host_path: field(2, text),
  permissions: field(3, text),
});
export const CDIDevice = message({ name: field(1, text) });
export const FilesystemIdentifier = message({ mountpoint: field(1, text) });
