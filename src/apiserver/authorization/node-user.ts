import { nodesGroup, nodeUserPrefix } from "../../api/certificates/kubelet-request.ts";
import type { User } from "../request/identity.ts";

/** The node that a user is, which may be an empty name; undefined for other users. */
export function nodeNameOf({ name, groups }: User): string | undefined {
  if (!name.startsWith(nodeUserPrefix) || !groups.includes(nodesGroup)) return undefined;
  return name.slice(nodeUserPrefix.length);
}
