import type { CsiDriverClient } from "../csi-driver-client.ts";
import { nodeMethods } from "../wire/node-methods.ts";
import type { DriverNodeInfo } from "./node-identity.ts";

/** What a driver says of its node now. */
export async function readNodeInfo(client: CsiDriverClient): Promise<DriverNodeInfo> {
  const { node_id, max_volumes_per_node, accessible_topology } = await client.call(
    nodeMethods.getInfo,
    {},
  );
  return {
    nodeId: node_id,
    maxVolumes: Number(max_volumes_per_node),
    topology: accessible_topology?.segments ?? {},
  };
}
