import { Node } from "../../api/core/v1/node/node.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { keyOf } from "../../client/resource-kind.ts";
import { changeTaints, type NodeWrites } from "./change-taints.ts";
import { conditionTaintChanges } from "./condition-taints.ts";
import { nodeLabelChanges } from "./node-label-changes.ts";

/** Whether taints or labels of a node are not as its conditions and its other labels say. */
export function needsUpkeep(node: Node): boolean {
  const { add, remove } = conditionTaintChanges(node);
  return add.length > 0 || remove.length > 0 || nodeLabelChanges(node) !== undefined;
}

/** Makes taints and labels of a node what its conditions and its other labels say. */
export async function keepUp(writes: NodeWrites, node: Node): Promise<void> {
  try {
    await changeTaints(writes, node, conditionTaintChanges);
    const labels = nodeLabelChanges(node);
    if (!labels) return;
    const merge = { metadata: { uid: node.metadata.uid, labels } };
    await writes.client.patch(Node, keyOf(node), { merge }, { signal: writes.signal });
  } catch (error) {
    // It is gone, or another has its name, of which there will be news.
    if (!StatusError.is(error, "NotFound", "Conflict")) throw error;
  }
}
