import { Node } from "../../api/core/v1/node/node.ts";
import { isMap, type ReadonlyJsonMap } from "../../schema/json/json-value.ts";
import { shapeOf } from "../../schema/language/shape.ts";
import { createTwoWayMergePatch } from "../../schema/strategic-merge/create-merge-patch.ts";

/**
 * The patch from one node to another. The addresses are sent as a whole: several may be of one type,
 * which is their key.
 */
export function nodePatch(before: Node, after: Node): ReadonlyJsonMap {
  const patch = createTwoWayMergePatch(
    nodeShape,
    before as unknown as ReadonlyJsonMap,
    after as unknown as ReadonlyJsonMap,
  );
  const { status } = patch;
  if (!isMap(status) || !Object.hasOwn(status, "addresses")) return patch;
  const { "$setElementOrder/addresses": _, ...rest } = status;
  const addresses = [...(after.status.addresses ?? []), { $patch: "replace" }];
  return { ...patch, status: { ...rest, addresses } };
}

const nodeShape = shapeOf(Node.struct);
