import type { MessageOf } from "../../../../../base/protobuf-message.ts";
import { serviceMethods } from "../../../plugins/plugin-client.ts";
import {
  NodeExpandVolumeRequest,
  NodeExpandVolumeResponse,
  NodeGetCapabilitiesRequest,
  NodeGetCapabilitiesResponse,
  NodeGetInfoRequest,
  NodeGetInfoResponse,
  NodeGetVolumeStatsRequest,
  NodeGetVolumeStatsResponse,
  NodePublishVolumeRequest,
  NodePublishVolumeResponse,
  NodeStageVolumeRequest,
  NodeStageVolumeResponse,
  NodeUnpublishVolumeRequest,
  NodeUnpublishVolumeResponse,
  NodeUnstageVolumeRequest,
  NodeUnstageVolumeResponse,
} from "./csi-messages.ts";

const method = serviceMethods("csi.v1.Node");

/** The methods of CSI's node service: all that a kubelet calls of a driver. */
export const nodeMethods = {
  stageVolume: method("NodeStageVolume", NodeStageVolumeRequest, NodeStageVolumeResponse),
  unstageVolume: method("NodeUnstageVolume", NodeUnstageVolumeRequest, NodeUnstageVolumeResponse),
  publishVolume: method("NodePublishVolume", NodePublishVolumeRequest, NodePublishVolumeResponse),
  unpublishVolume: method(
    "NodeUnpublishVolume",
    NodeUnpublishVolumeRequest,
    NodeUnpublishVolumeResponse,
  ),
  getVolumeStats: method(
    "NodeGetVolumeStats",
    NodeGetVolumeStatsRequest,
    NodeGetVolumeStatsResponse,
  ),
  expandVolume: method("NodeExpandVolume", NodeExpandVolumeRequest, NodeExpandVolumeResponse),
  getCapabilities: method(
    "NodeGetCapabilities",
    NodeGetCapabilitiesRequest,
    NodeGetCapabilitiesResponse,
  ),
  getInfo: method("NodeGetInfo", NodeGetInfoRequest, NodeGetInfoResponse),
};

/** Something that the node service of a driver may be able to do. */
export type NodeCapability = NonNullable<
  MessageOf<typeof NodeGetCapabilitiesResponse>["capabilities"][number]["rpc"]
>["type"];
