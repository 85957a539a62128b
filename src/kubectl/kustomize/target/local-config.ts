import type { YamlNode } from "../nodes/yaml-node.ts";
import { checkMetadata, metadataMap } from "../resources/metadata.ts";

/** Whether an object is for tools only, and not for a cluster; throws where it is incomplete. */
export function isLocalConfig(node: YamlNode): boolean {
  checkMetadata(node);
  const value = metadataMap(node, "annotations").get("config.kubernetes.io/local-config");
  return value !== undefined && value !== "false";
}
