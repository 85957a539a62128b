import {
  bool,
  field,
  int,
  type MessageOf,
  maybe,
  message,
  nested,
  repeated,
  text,
  textMap,
} from "../../base/protobuf-message.ts";

// The API of device plugins, v1beta1, with upstream's names and numbers.

export const Empty = message({});

export const DevicePluginOptions = message({
  pre_start_required: field(1, bool),
  get_preferred_allocation_available: field(2, bool),
});

export const RegisterRequest = message({
  version: field(1, text),
  endpoint: field(2, text),
  resource_name: field(3, text),
  options: maybe(4, nested(DevicePluginOptions)),
});

const NUMANode = message({ ID: field(1, int) });
const TopologyInfo = message({ nodes: repeated(1, nested(NUMANode)) });
const Device = message({
  ID: field(1, text),
  health: field(2, text),
  topology: maybe(3, nested(TopologyInfo)),
});
export const ListAndWatchResponse = message({ devices: repeated(1, nested(Device)) });

export const PreStartContainerRequest = message({ devices_ids: repeated(1, text) });
export const PreStartContainerResponse = message({});

const ContainerPreferredAllocationRequest = message({
  available_deviceIDs: repeated(1, text),
  must_include_deviceIDs: repeated(2, text),
  allocation_size: field(3, int),
});
export const PreferredAllocationRequest = message({
  container_requests: repeated(1, nested(ContainerPreferredAllocationRequest)),
});
const ContainerPreferredAllocationResponse = message({ deviceIDs: repeated(1, text) });
export const PreferredAllocationResponse = message({
  container_responses: repeated(1, nested(ContainerPreferredAllocationResponse)),
});

const ContainerAllocateRequest = message({ devices_ids: repeated(1, text) });
export const AllocateRequest = message({
  container_requests: repeated(1, nested(ContainerAllocateRequest)),
});
const Mount = message({
  container_path: field(1, text),
  host_path: field(2, text),
  read_only: field(3, bool),
});
const DeviceSpec = message({
  container_path: field(1, text),
  host_path: field(2, text),
  permissions: field(3, text),
});
const CDIDevice = message({ name: field(1, text) });

/** What a container needs to use its devices. */
export const ContainerAllocateResponse = message({
  envs: textMap(1),
  mounts: repeated(2, nested(Mount)),
  devices: repeated(3, nested(DeviceSpec)),
  annotations: textMap(4),
  cdi_devices: repeated(5, nested(CDIDevice)),
});
export type ContainerAllocateResponse = MessageOf<typeof ContainerAllocateResponse>;

export const AllocateResponse = message({
  container_responses: repeated(1, nested(ContainerAllocateResponse)),
});
