import type { Node } from "../../../../api/core/v1/node/node.ts";
import type { Informer } from "../../../../client/informer/informer-options.ts";
import { sameJson } from "../../../../schema/json/json-value.ts";

/** Calls back when the status of a node says something else of its volumes; returns how to end it. */
export function followNode(nodes: Informer<Node>, changed: () => void): () => void {
  const registration = nodes.addHandler({
    added: changed,
    updated(node, old) {
      if (!sameJson(volumesOf(node), volumesOf(old))) changed();
    },
  });
  return () => registration.remove();
}

const volumesOf = ({ status }: Node) => [status.volumesInUse, status.volumesAttached];
