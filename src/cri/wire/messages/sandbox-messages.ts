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
import { LinuxContainerResources, NamespaceOption } from "./linux-messages.ts";
import { PodSandboxConfig, PodSandboxMetadata } from "./sandbox-config-messages.ts";

// The sandboxes of pods: messages of CRI v1 with upstream's names and numbers.

const sandboxState = names({ ready: 0, notReady: 1 });
export const RunPodSandboxRequest = message({
  config: maybe(1, nested(PodSandboxConfig)),
  runtime_handler: field(2, text),
});
export const RunPodSandboxResponse = message({ pod_sandbox_id: field(1, text) });
export const StopPodSandboxRequest = message({ pod_sandbox_id: field(1, text) });
export const StopPodSandboxResponse = message({});
export const RemovePodSandboxRequest = message({ pod_sandbox_id: field(1, text) });
export const RemovePodSandboxResponse = message({});
export const PodSandboxStatusRequest = message({
  pod_sandbox_id: field(1, text),
  verbose: field(2, bool),
});
const PodIP = message({ ip: field(1, text) });
const PodSandboxNetworkStatus = message({
  ip: field(1, text),
  additional_ips: repeated(2, nested(PodIP)),
});
const Namespace = message({ options: maybe(2, nested(NamespaceOption)) });
const LinuxPodSandboxStatus = message({ namespaces: maybe(1, nested(Namespace)) });
export const PodSandboxStatus = message({
  id: field(1, text),
  metadata: maybe(2, nested(PodSandboxMetadata)),
  state: field(3, sandboxState),
  created_at: field(4, int64),
  network: maybe(5, nested(PodSandboxNetworkStatus)),
  linux: maybe(6, nested(LinuxPodSandboxStatus)),
  labels: textMap(7),
  annotations: textMap(8),
  runtime_handler: field(9, text),
});
export const PodSandboxStatusResponse = message({
  status: maybe(1, nested(PodSandboxStatus)),
  info: textMap(2),
  containers_statuses: repeated(3, nested(ContainerStatus)),
  timestamp: field(4, int64),
});
const PodSandboxStateValue = message({ state: field(1, sandboxState) });
export const PodSandboxFilter = message({
  id: field(1, text),
  state: maybe(2, nested(PodSandboxStateValue)),
  label_selector: textMap(3),
});
export const ListPodSandboxRequest = message({ filter: maybe(1, nested(PodSandboxFilter)) });
export const PodSandbox = message({
  id: field(1, text),
  metadata: maybe(2, nested(PodSandboxMetadata)),
  state: field(3, sandboxState),
  created_at: field(4, int64),
  labels: textMap(5),
  annotations: textMap(6),
  runtime_handler: field(7, text),
});
export const ListPodSandboxResponse = message({ items: repeated(1, nested(PodSandbox)) });
export const StreamPodSandboxesRequest = message({ filter: maybe(1, nested(PodSandboxFilter)) });
export const StreamPodSandboxesResponse = message({
  pod_sandboxes: repeated(1, nested(PodSandbox)),
});
export const UpdatePodSandboxResourcesRequest = message({
  pod_sandbox_id: field(1, text),
  overhead: maybe(2, nested(LinuxContainerResources)),
  resources: maybe(3, nested(LinuxContainerResources)),
});
export const UpdatePodSandboxResourcesResponse = message({});
