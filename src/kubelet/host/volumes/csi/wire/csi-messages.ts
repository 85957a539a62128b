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
} from "../../../../../base/protobuf-message.ts";

// Messages of CSI v1 that a kubelet exchanges with drivers, with upstream's names and numbers.

const BlockVolume = message({});
const MountVolume = message({
  fs_type: field(1, text),
  mount_flags: repeated(2, text),
  volume_mount_group: field(3, text),
});
const AccessMode = message({
  mode: field(
    1,
    names({
      UNKNOWN: 0,
      SINGLE_NODE_WRITER: 1,
      SINGLE_NODE_READER_ONLY: 2,
      MULTI_NODE_READER_ONLY: 3,
      MULTI_NODE_SINGLE_WRITER: 4,
      MULTI_NODE_MULTI_WRITER: 5,
      SINGLE_NODE_SINGLE_WRITER: 6,
      SINGLE_NODE_MULTI_WRITER: 7,
    }),
  ),
});
/** How a volume is used: as a block device or mounted, and by whom. */
export const VolumeCapability = message({
  block: maybe(1, nested(BlockVolume)),
  mount: maybe(2, nested(MountVolume)),
  access_mode: maybe(3, nested(AccessMode)),
});

export const NodeStageVolumeRequest = message({
  volume_id: field(1, text),
  publish_context: textMap(2),
  staging_target_path: field(3, text),
  volume_capability: maybe(4, nested(VolumeCapability)),
  secrets: textMap(5),
  volume_context: textMap(6),
});
export const NodeStageVolumeResponse = message({});
export const NodeUnstageVolumeRequest = message({
  volume_id: field(1, text),
  staging_target_path: field(2, text),
});
export const NodeUnstageVolumeResponse = message({});
export const NodePublishVolumeRequest = message({
  volume_id: field(1, text),
  publish_context: textMap(2),
  staging_target_path: field(3, text),
  target_path: field(4, text),
  volume_capability: maybe(5, nested(VolumeCapability)),
  readonly: field(6, bool),
  secrets: textMap(7),
  volume_context: textMap(8),
});
export const NodePublishVolumeResponse = message({});
export const NodeUnpublishVolumeRequest = message({
  volume_id: field(1, text),
  target_path: field(2, text),
});
export const NodeUnpublishVolumeResponse = message({});

export const NodeGetVolumeStatsRequest = message({
  volume_id: field(1, text),
  volume_path: field(2, text),
});
const VolumeUsage = message({
  available: field(1, int64),
  total: field(2, int64),
  used: field(3, int64),
  unit: field(4, names({ UNKNOWN: 0, BYTES: 1, INODES: 2 })),
});
export const NodeGetVolumeStatsResponse = message({ usage: repeated(1, nested(VolumeUsage)) });

const CapacityRange = message({ required_bytes: field(1, int64) });
export const NodeExpandVolumeRequest = message({
  volume_id: field(1, text),
  volume_path: field(2, text),
  capacity_range: maybe(3, nested(CapacityRange)),
  staging_target_path: field(4, text),
  volume_capability: maybe(5, nested(VolumeCapability)),
  secrets: textMap(6),
});
export const NodeExpandVolumeResponse = message({ capacity_bytes: field(1, int64) });

export const NodeGetCapabilitiesRequest = message({});
const Rpc = message({
  type: field(
    1,
    names({
      UNKNOWN: 0,
      STAGE_UNSTAGE_VOLUME: 1,
      GET_VOLUME_STATS: 2,
      EXPAND_VOLUME: 3,
      VOLUME_CONDITION: 4,
      SINGLE_NODE_MULTI_WRITER: 5,
      VOLUME_MOUNT_GROUP: 6,
    }),
  ),
});
const NodeServiceCapability = message({ rpc: maybe(1, nested(Rpc)) });
export const NodeGetCapabilitiesResponse = message({
  capabilities: repeated(1, nested(NodeServiceCapability)),
});

export const NodeGetInfoRequest = message({});
const Topology = message({ segments: textMap(1) });
export const NodeGetInfoResponse = message({
  node_id: field(1, text),
  max_volumes_per_node: field(2, int64),
  accessible_topology: maybe(3, nested(Topology)),
});
