import { Node } from "../../api/core/v1/node/node.ts";
import { keyOf } from "../../client/resource-kind.ts";
import { controller } from "../../controller-runtime/reconcile/controller.ts";
import type { Controller } from "../../controller-runtime/reconcile/controller-definition.ts";
import { nextStep, secondsAt } from "./ttl-steps.ts";

const annotation = "node.alpha.kubernetes.io/ttl";

/** Annotates nodes with how long kubelets may cache secrets and ConfigMaps: longer in larger clusters. */
export function ttlController(): Controller {
  let step = 0;
  return controller({
    name: "ttl-controller",
    for: Node,

    async reconcile(key, { cache, client, signal }) {
      const nodes = await cache.list(Node);
      step = nextStep(step, nodes.length);
      const node = await cache.get(Node, key);
      const value = String(secondsAt(step));
      if (!node || node.metadata.annotations?.[annotation] === value) return;
      const patch = { metadata: { annotations: { [annotation]: value } } };
      await client.patch(Node, keyOf(node), { strategic: patch }, { signal });
    },
  });
}
