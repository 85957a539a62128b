import {
  bool,
  field,
  int64,
  maybe,
  message,
  names,
  nested,
  repeated,
  text,
  textMap,
} from "../../../base/protobuf-message.ts";
import { ContainerStatus } from "./container-messages.ts";
import { PodSandboxStatus } from "./sandbox-messages.ts";

// The runtime itself, and its events: messages of CRI v1 with upstream's names and numbers.

const eventType = names({ created: 0, started: 1, stopped: 2, deleted: 3 });
const cgroupDriver = names({ systemd: 0, cgroupfs: 1 });
export const VersionRequest = message({ version: field(1, text) });
export const VersionResponse = message({
  version: field(1, text),
  runtime_name: field(2, text),
  runtime_version: field(3, text),
  runtime_api_version: field(4, text),
});
const NetworkConfig = message({ pod_cidr: field(1, text) });
const RuntimeConfig = message({ network_config: maybe(1, nested(NetworkConfig)) });
export const UpdateRuntimeConfigRequest = message({
  runtime_config: maybe(1, nested(RuntimeConfig)),
});
export const UpdateRuntimeConfigResponse = message({});
const RuntimeCondition = message({
  type: field(1, text),
  status: field(2, bool),
  reason: field(3, text),
  message: field(4, text),
});
const RuntimeStatus = message({ conditions: repeated(1, nested(RuntimeCondition)) });
export const StatusRequest = message({ verbose: field(1, bool) });
const RuntimeHandlerFeatures = message({
  recursive_read_only_mounts: field(1, bool),
  user_namespaces: field(2, bool),
});
const RuntimeHandler = message({
  name: field(1, text),
  features: maybe(2, nested(RuntimeHandlerFeatures)),
});
const RuntimeFeatures = message({
  supplemental_groups_policy: field(1, bool),
  user_namespaces_host_network: field(2, bool),
});
export const StatusResponse = message({
  status: maybe(1, nested(RuntimeStatus)),
  info: textMap(2),
  runtime_handlers: repeated(3, nested(RuntimeHandler)),
  features: maybe(4, nested(RuntimeFeatures)),
});
export const RuntimeConfigRequest = message({});
const LinuxRuntimeConfiguration = message({ cgroup_driver: field(1, cgroupDriver) });
export const RuntimeConfigResponse = message({
  linux: maybe(1, nested(LinuxRuntimeConfiguration)),
});
export const GetEventsRequest = message({});
export const ContainerEventResponse = message({
  container_id: field(1, text),
  container_event_type: field(2, eventType),
  created_at: field(3, int64),
  pod_sandbox_status: maybe(4, nested(PodSandboxStatus)),
  containers_statuses: repeated(5, nested(ContainerStatus)),
});
