import {
  field,
  int,
  maybe,
  message,
  nested,
  repeated,
  text,
  uint64,
} from "../../../base/protobuf-message.ts";
import { serviceMethods } from "../plugins/plugin-client.ts";

// The API of resources of pods, v1, with upstream's names and numbers.

const NUMANode = message({ ID: field(1, int) });
const TopologyInfo = message({ nodes: repeated(1, nested(NUMANode)) });
const ContainerDevices = message({
  resource_name: field(1, text),
  device_ids: repeated(2, text),
  topology: maybe(3, nested(TopologyInfo)),
});
const ContainerMemory = message({
  memory_type: field(1, text),
  size: field(2, uint64),
  topology: maybe(3, nested(TopologyInfo)),
});
const CDIDevice = message({ name: field(1, text) });
const ClaimResource = message({
  cdi_devices: repeated(1, nested(CDIDevice)),
  driver_name: field(2, text),
  pool_name: field(3, text),
  device_name: field(4, text),
  share_id: maybe(5, text),
});
const DynamicResource = message({
  claim_name: field(2, text),
  claim_namespace: field(3, text),
  claim_resources: repeated(4, nested(ClaimResource)),
});
const ContainerResources = message({
  name: field(1, text),
  devices: repeated(2, nested(ContainerDevices)),
  cpu_ids: repeated(3, int),
  memory: repeated(4, nested(ContainerMemory)),
  dynamic_resources: repeated(5, nested(DynamicResource)),
});
const PodResources = message({
  name: field(1, text),
  namespace: field(2, text),
  containers: repeated(3, nested(ContainerResources)),
});
const AllocatableResourcesResponse = message({
  devices: repeated(1, nested(ContainerDevices)),
  cpu_ids: repeated(2, int),
  memory: repeated(3, nested(ContainerMemory)),
});

const method = serviceMethods("v1.PodResourcesLister");

/** The methods by which others on the node learn what its pods have. */
export const podResourcesMethods = {
  list: method("List", message({}), message({ pod_resources: repeated(1, nested(PodResources)) })),
  getAllocatable: method("GetAllocatableResources", message({}), AllocatableResourcesResponse),
  get: method(
    "Get",
    message({ pod_name: field(1, text), pod_namespace: field(2, text) }),
    message({ pod_resources: maybe(1, nested(PodResources)) }),
  ),
};
