import { Node } from "../../api/core/v1/node/node.ts";
import { StatusError } from "../../api/meta/v1/status-error.ts";
import { keyOf } from "../../client/resource-kind.ts";
import { changeTaints, type NodeWrites } from "./change-taints.ts";
import { conditionTaintChanges } from "./condition-taints.ts";
import { nodeLabelChanges } from "./node-label-changes.ts";

/** Whether taints or labels of a node do not match its conditions and other labels. */
export function needsUpkeep(node: Node): boolean {
  const { add, remove } = conditionTaintChanges(node);
  return add.length > 0 || remove.length > 0 || nodeLabelChanges(node) !== undefined;
}

/** Writes the taints and labels that follow from a node's conditions and other labels. */
export async function keepUp(writes: NodeWrites, node: Node): Promise<void> {
  try {
    await changeTaints(writes, node, conditionTaintChanges);
    const labels = nodeLabelChanges(node);
    if (!labels) return;
    const merge = { metadata: { uid: node.metadata.uid, labels } };
    await writes.client.patch(Node, keyOf(node), { merge }, { signal: writes.signal });
  } catch (error) {
    // The node is gone, or another one has its name, whose event is yet to come.
    if (!StatusError.is(error, "NotFound", "Conflict")) throw error;
  }
}
